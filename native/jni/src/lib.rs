//! The border to Java: eight exports on the class `dev.auk.NativeBridge`, each one line through one guard. Only bytes and numbers cross.
//!
//! No Rust thread is ever attached to the JVM: Java pulls with `poll`. What each call answers is in `ARCHITECTURE.md`, section 4.

mod guard;
mod registry;

use std::time::Duration;

use auk_runtime::{BridgeSession, Options, SubmitOutcome};
use jni::objects::{JByteArray, JClass};
use jni::sys::{jint, jlong};
use jni::{Env, EnvUnowned};

use guard::guard;

/// Changes whenever an older shim could misread an answer.
const ABI_VERSION: jint = 2;
/// `open`: the options are not readable.
const OPTIONS_UNREADABLE: jlong = -1;
/// `open`: too many bridges are open, or there is no thread left.
const NO_ROOM: jlong = -2;
/// The handle is stale.
const CLOSED: jint = SubmitOutcome::Closed as jint;
/// Longest wait in one `poll`. A pump that wants to wait longer asks again.
const POLL_MS_MAX: u64 = 60_000;

/// Tells the shim which border this library speaks.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_auk_NativeBridge_abiVersion<'l>(env: EnvUnowned<'l>, _class: JClass<'l>) -> jint {
    guard(env, |_| Ok(ABI_VERSION))
}

/// Opens a bridge. Never waits for the network.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_auk_NativeBridge_open<'l>(env: EnvUnowned<'l>, _class: JClass<'l>, options: JByteArray<'l>) -> jlong {
    guard(env, |env| open(env, &options))
}

/// Hands one frame from the server in. Never blocks.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_auk_NativeBridge_submit<'l>(
    env: EnvUnowned<'l>,
    _class: JClass<'l>,
    handle: jlong,
    frame: JByteArray<'l>,
) -> jint {
    guard(env, |env| submit(env, handle, &frame))
}

/// Waits up to `millis` for the next frame; null when none came.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_auk_NativeBridge_poll<'l>(
    env: EnvUnowned<'l>,
    _class: JClass<'l>,
    handle: jlong,
    millis: jint,
) -> JByteArray<'l> {
    guard(env, |env| poll(env, handle, millis))
}

/// The state as JSON; null for a stale handle.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_auk_NativeBridge_status<'l>(env: EnvUnowned<'l>, _class: JClass<'l>, handle: jlong) -> JByteArray<'l> {
    guard(env, |env| status(env, handle))
}

/// Reads the settings again and tries at once.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_auk_NativeBridge_reload<'l>(
    env: EnvUnowned<'l>,
    _class: JClass<'l>,
    handle: jlong,
    options: JByteArray<'l>,
) -> jint {
    guard(env, |env| reload(env, handle, &options))
}

/// Begins to end the bridge; the end frame follows within about two seconds.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_auk_NativeBridge_beginClose<'l>(env: EnvUnowned<'l>, _class: JClass<'l>, handle: jlong) -> jint {
    guard(env, |_| Ok(begin_close(handle)))
}

/// Ends the bridge within `millis`, releases a blocked `poll` and frees the handle.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_auk_NativeBridge_close<'l>(env: EnvUnowned<'l>, _class: JClass<'l>, handle: jlong, millis: jint) -> jint {
    guard(env, |_| Ok(close(handle, millis)))
}

fn open(env: &mut Env<'_>, options: &JByteArray<'_>) -> jni::errors::Result<jlong> {
    let Ok(options) = Options::decode(&env.convert_byte_array(options)?) else { return Ok(OPTIONS_UNREADABLE) };
    Ok(registry::insert(|| BridgeSession::open(options)).unwrap_or(NO_ROOM))
}

fn submit(env: &mut Env<'_>, handle: jlong, frame: &JByteArray<'_>) -> jni::errors::Result<jint> {
    let Some(session) = registry::get(handle) else { return Ok(CLOSED) };
    Ok(session.submit(&env.convert_byte_array(frame)?) as jint)
}

fn poll<'l>(env: &mut Env<'l>, handle: jlong, millis: jint) -> jni::errors::Result<JByteArray<'l>> {
    let Some(session) = registry::get(handle) else { return env.byte_array_from_slice(&BridgeSession::end_frame()) };
    bytes_or_null(env, session.poll(duration(millis)))
}

fn status<'l>(env: &mut Env<'l>, handle: jlong) -> jni::errors::Result<JByteArray<'l>> {
    bytes_or_null(env, registry::get(handle).map(|session| session.status()))
}

fn reload(env: &mut Env<'_>, handle: jlong, options: &JByteArray<'_>) -> jni::errors::Result<jint> {
    let Some(session) = registry::get(handle) else { return Ok(CLOSED) };
    let outcome = match Options::decode(&env.convert_byte_array(options)?) {
        Ok(options) => session.reload(options),
        Err(_) => SubmitOutcome::Unreadable,
    };
    Ok(outcome as jint)
}

fn begin_close(handle: jlong) -> jint {
    registry::get(handle).map_or(CLOSED, |session| {
        session.begin_close();
        0
    })
}

fn close(handle: jlong, millis: jint) -> jint {
    registry::remove(handle).map_or(CLOSED, |session| session.close(duration(millis)) as jint)
}

fn bytes_or_null<'l>(env: &mut Env<'l>, bytes: Option<Vec<u8>>) -> jni::errors::Result<JByteArray<'l>> {
    bytes.map_or_else(|| Ok(JByteArray::default()), |bytes| env.byte_array_from_slice(&bytes))
}

fn duration(millis: jint) -> Duration {
    Duration::from_millis(u64::try_from(millis).unwrap_or(0).min(POLL_MS_MAX))
}
