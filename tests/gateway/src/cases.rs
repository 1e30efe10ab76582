//! The named cases of the report that the project began with, each run on the machine as built and on one with the defect of that time.

use auk_gateway::{Input, Language, Plant};
use serde_json::json;

use crate::{Asked, Stage, config};

/// One case: what it is about, and what it comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// In a few words.
    pub name: &'static str,
    /// On the machine as built.
    pub as_built: String,
    /// With the defect.
    pub with_defect: String,
}

/// The five cases.
pub fn cases(language: Language) -> [Case; 5] {
    let case = |zh_cn, en_us, run: fn(&[Plant], Language) -> String, plants: &[Plant]| {
        let name = match language {
            Language::ZhCn => zh_cn,
            Language::EnUs => en_us,
        };
        Case { name, as_built: run(&[], language), with_defect: run(plants, language) }
    };
    let cool_down = [Plant::CoolDownIgnored, Plant::LookUpsUnlimited];
    [
        case("查询地址得到 401 后更换令牌", "a 401 at the address look-up renews the token", dead_token, &[Plant::DeadTokenKept]),
        case("查询被限频后保持安静：12 秒内的查询次数", "a rate-limited look-up keeps quiet: look-ups in 12 s", rate_limited, &cool_down),
        case("同时有二十个重连理由：尝试次数", "twenty reasons to reconnect at once: attempts", twenty_reasons, &[Plant::ReasonsMultiply]),
        case("持续十秒的 401 过后恢复", "recovery after a 401 of ten seconds", passing_401, &[Plant::DeadTokenKept]),
        case("十次计划内重连：新令牌个数", "ten planned reconnects: new tokens", ten_reconnects, &Plant::ORIGINAL),
    ]
}

fn stage(plants: &[Plant]) -> Stage {
    let mut stage = Stage::new();
    plants.iter().for_each(|plant| stage.gateway.plant(*plant));
    stage
}

/// The platform refuses the first token until `from_ms`, and from then on takes any but the first. Answers when a session was ready within
/// an hour.
fn ready_ms(plants: &[Plant], from_ms: u64) -> Option<u64> {
    let mut stage = stage(plants);
    let (mut tokens, mut ready) = (0, None);
    stage.play_until(3_600_000, |stage, at, asked| match asked {
        Asked::Token => {
            // The endpoint hands the dead one out as long as the platform refuses it.
            tokens = if at < from_ms || tokens == 0 { 1 } else { tokens + 1 };
            stage.grant_token(&format!("t{tokens}"));
        }
        Asked::Address(_) if tokens > 1 => stage.grant_address(),
        Asked::Address(_) => stage.answer_address(401, json!({ "code": 11_244 })),
        Asked::Connect => {
            stage.open();
            stage.hello(45_000);
        }
        Asked::Sent(frame) if frame["op"] == 2 => {
            ready = ready.or(Some(at));
            stage.ready_as("s1");
        }
        Asked::Sent(_) => stage.frame(json!({ "op": 11 })),
        Asked::Closed(_) => {}
    });
    ready
}

fn in_words(ready_ms: Option<u64>, language: Language) -> String {
    match (ready_ms.map(|ms| ms as f64 / 1_000.0), language) {
        (Some(s), Language::EnUs) => format!("ready after {s} s"),
        (Some(s), Language::ZhCn) => format!("{s} 秒后上线"),
        (None, Language::EnUs) => "never ready".to_owned(),
        (None, Language::ZhCn) => "再也没有上线".to_owned(),
    }
}

fn dead_token(plants: &[Plant], language: Language) -> String {
    in_words(ready_ms(plants, 0), language)
}

fn passing_401(plants: &[Plant], language: Language) -> String {
    in_words(ready_ms(plants, 10_000), language)
}

fn rate_limited(plants: &[Plant], _: Language) -> String {
    let mut stage = stage(plants);
    let mut look_ups = 0;
    stage.play_until(12_000, |stage, _, asked| match asked {
        Asked::Token => stage.grant_token("t1"),
        Asked::Address(_) => {
            look_ups += 1;
            stage.answer_address(400, json!({ "code": 100_017 }));
        }
        Asked::Connect | Asked::Sent(_) | Asked::Closed(_) => {}
    });
    look_ups.to_string()
}

fn twenty_reasons(plants: &[Plant], _: Language) -> String {
    let mut stage = stage(plants);
    stage.begin();
    stage.ready_as("s1");
    stage.take_asked();
    stage.frame(json!({ "op": 7 }));
    for _ in 1..20 {
        stage.input(Input::Reload(Box::new(config())));
    }
    stage.count(|asked| *asked == Asked::Connect).to_string()
}

fn ten_reconnects(plants: &[Plant], _: Language) -> String {
    let mut stage = stage(plants);
    stage.begin();
    stage.ready_as("s1");
    stage.take_asked();
    let mut tokens = 0;
    for number in 0..10 {
        stage.frame(json!({ "op": 7 }));
        stage.come_back_by_resume(2 + number);
        stage.play_until(60_000 * (number + 1), |stage, _, asked| match asked {
            Asked::Token => tokens += 1,
            Asked::Connect => stage.come_back_by_resume(2 + number),
            Asked::Sent(frame) if frame["op"] == 1 => stage.frame(json!({ "op": 11 })),
            Asked::Address(_) | Asked::Sent(_) | Asked::Closed(_) => {}
        });
    }
    tokens.to_string()
}
