use std::any::Any;

use jni::errors::ErrorPolicy;
use jni::{Env, EnvUnowned};

/// Runs an export's body. A panic or a failed JNI call becomes a `java.lang.RuntimeException`, and the JVM lives on.
pub(crate) fn guard<'l, T: Default>(mut env: EnvUnowned<'l>, body: impl FnOnce(&mut Env<'l>) -> jni::errors::Result<T>) -> T {
    env.with_env(body).resolve::<ThrowRuntimeException>()
}

/// Throws what went wrong, with a panic's own words: the library's ready-made policy loses those that were formatted.
struct ThrowRuntimeException;

impl<T: Default> ErrorPolicy<T, jni::errors::Error> for ThrowRuntimeException {
    type Captures<'unowned_env_local: 'native_method, 'native_method> = ();

    fn on_error<'unowned_env_local: 'native_method, 'native_method>(
        env: &mut Env<'unowned_env_local>,
        _captures: &mut Self::Captures<'unowned_env_local, 'native_method>,
        error: jni::errors::Error,
    ) -> jni::errors::Result<T> {
        if !env.exception_check() {
            let _ = env.throw(format!("auk: {error}"));
        }
        Ok(T::default())
    }

    fn on_panic<'unowned_env_local: 'native_method, 'native_method>(
        env: &mut Env<'unowned_env_local>,
        _captures: &mut Self::Captures<'unowned_env_local, 'native_method>,
        payload: Box<dyn Any + Send + 'static>,
    ) -> jni::errors::Result<T> {
        let words = payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let _ = env.throw(format!("auk: a bug of its own: {}", words.unwrap_or("no words")));
        Ok(T::default())
    }
}
