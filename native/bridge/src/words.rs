use std::sync::LazyLock;

use auk_gateway::Language;
use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use unic_langid::LanguageIdentifier;

/// Auk's own words in a language.
pub(crate) fn words(language: Language) -> &'static Words {
    match language {
        Language::ZhCn => &ZH_CN,
        Language::EnUs => &EN_US,
    }
}

static ZH_CN: LazyLock<Words> = LazyLock::new(|| Words::read("zh-CN", include_str!("../locales/zh-CN.ftl")));
static EN_US: LazyLock<Words> = LazyLock::new(|| Words::read("en-US", include_str!("../locales/en-US.ftl")));

/// The messages of one language.
pub(crate) struct Words(FluentBundle<FluentResource>);

impl Words {
    /// A message without arguments.
    pub(crate) fn text(&self, key: &str) -> String {
        self.format(key, None)
    }

    /// A message with arguments.
    pub(crate) fn fill<'a>(&self, key: &str, args: impl IntoIterator<Item = (&'static str, FluentValue<'a>)>) -> String {
        let mut named = FluentArgs::new();
        for (name, value) in args {
            named.set(name, value);
        }
        self.format(key, Some(&named))
    }

    fn read(language: &str, source: &str) -> Self {
        let language: LanguageIdentifier = language.parse().expect("a language tag");
        let resource = FluentResource::try_new(source.to_owned()).expect("the crate's own messages are well-formed");
        let mut bundle = FluentBundle::new_concurrent(vec![language]);
        // Isolation marks are invisible direction characters, which the cleaning takes out of every line.
        bundle.set_use_isolating(false);
        bundle.add_resource(resource).expect("no key is written twice");
        Self(bundle)
    }

    fn format(&self, key: &str, args: Option<&FluentArgs<'_>>) -> String {
        let pattern = self.0.get_message(key).and_then(|message| message.value()).expect("both languages have every key");
        let mut errors = Vec::new();
        let text = self.0.format_pattern(pattern, args, &mut errors).into_owned();
        debug_assert!(errors.is_empty(), "{key}: {errors:?}");
        text
    }
}
