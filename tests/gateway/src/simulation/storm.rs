use auk_gateway::{Language, Plant};
use auk_simulator::{Act, InvalidSession, Settings};
use serde_json::{Value, json};

use super::fault::{Fault, Harshness};
use super::network::Mood;
use super::plan::Plan;
use super::{Attempts, Simulation};

/// A fault that lasts for a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storm {
    /// Every token is revoked, and the endpoint keeps handing out the dead one.
    DeadToken,
    /// The known address is gone, and look-ups are refused as too frequent.
    RateLimit,
    /// The platform does not accept the machine's address.
    RefusedAddress,
    /// Nothing can be reached.
    Outage,
    /// Every connection is cut half a second after it opened.
    Flap,
    /// Every Identify and every Resume is answered with op 9.
    InvalidSessionLoop,
    /// Every link goes silent two minutes after the last one did.
    HalfOpen,
    /// The platform asks for a new connection every ten minutes, so the client closes its own.
    OwnClose,
    /// The secret in the settings is not the bot's.
    RefusedSecret,
    /// Another program with the same app id ends each session half a minute after the last one ended.
    TwoInstances,
}

/// What a day of a fault came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Course {
    /// What was attempted from the beginning of the fault to its end, and when.
    pub attempts: Attempts,
    /// Lines of the log at INFO and above.
    pub logged: u64,
    /// Failures, one by one: a line each in a log that folds nothing.
    pub failures: u64,
    /// From the end of the fault to a live session, in ms; `None` when there was none within an hour.
    pub recovered_ms: Option<u64>,
}

/// A quarter of an hour of health comes first.
const BEGINS_MS: u64 = 900_000;
const LASTS_MS: u64 = 24 * 3_600_000;
const PATIENCE_MS: u64 = 3_600_000;

impl Storm {
    /// Every storm, in the order of the table.
    pub const ALL: [Storm; 10] = [
        Storm::DeadToken,
        Storm::RateLimit,
        Storm::RefusedAddress,
        Storm::Outage,
        Storm::Flap,
        Storm::InvalidSessionLoop,
        Storm::HalfOpen,
        Storm::OwnClose,
        Storm::RefusedSecret,
        Storm::TwoInstances,
    ];

    /// Its name in the table.
    pub fn name(self, language: Language) -> &'static str {
        let (zh_cn, en_us) = match self {
            Storm::DeadToken => ("令牌失效", "dead token"),
            Storm::RateLimit => ("查询被限频", "rate limit"),
            Storm::RefusedAddress => ("IP 不在白名单", "refused address"),
            Storm::Outage => ("断网", "outage"),
            Storm::Flap => ("连上即断", "flap"),
            Storm::InvalidSessionLoop => ("反复 op 9", "op 9 loop"),
            Storm::HalfOpen => ("半开连接", "half-open"),
            Storm::OwnClose => ("自己关闭", "own close"),
            Storm::RefusedSecret => ("密钥错误", "refused secret"),
            Storm::TwoInstances => ("同一 AppID 开两份", "two instances"),
        };
        match language {
            Language::ZhCn => zh_cn,
            Language::EnUs => en_us,
        }
    }

    /// Runs it for `lasts_ms` against the machine as built, or with defects.
    pub fn run_for(self, lasts_ms: u64, plants: &[Plant]) -> Course {
        let plan = Plan::of(self.faults(lasts_ms), BEGINS_MS + lasts_ms, Harshness::Operator);
        let settings = Settings { seed: 1, ..Settings::default() };
        Simulation::of(1, fastrand::Rng::with_seed(1), plan, settings, false, plants).weather(BEGINS_MS, PATIENCE_MS)
    }

    /// Runs it for a day.
    pub fn run(self, plants: &[Plant]) -> Course {
        self.run_for(LASTS_MS, plants)
    }

    fn faults(self, lasts_ms: u64) -> Vec<(u64, Fault)> {
        let switch = |name: &'static str, value: Value| Fault::Switch { name, value };
        let at_once = |faults: Vec<Fault>| faults.into_iter().map(|fault| (BEGINS_MS, fault)).collect();
        let every = |ms: u64, fault: Fault| (0..lasts_ms / ms).map(|number| (BEGINS_MS + number * ms, fault.clone())).collect();
        match self {
            Storm::DeadToken => {
                // The link dies with the token, and so does its address, so that a look-up is needed too.
                at_once(vec![
                    switch("same_dead_token", json!(true)),
                    switch("refuse_upgrade", json!(503)),
                    Fault::Act(Act::RevokeToken),
                    Fault::Act(Act::Cut),
                ])
            }
            Storm::RateLimit => {
                at_once(vec![switch("address_rate_limited", json!(true)), switch("refuse_upgrade", json!(503)), Fault::Act(Act::Cut)])
            }
            Storm::RefusedAddress => {
                at_once(vec![switch("whitelist_refuses", json!(true)), switch("every_auth_close", json!(4924)), Fault::Act(Act::Cut)])
            }
            Storm::Outage => at_once(vec![Fault::Connects(Mood::Refuses), Fault::Http(Mood::Refuses), Fault::Act(Act::Cut)]),
            Storm::Flap => at_once(vec![switch("flap_after_ms", json!(500))]),
            Storm::InvalidSessionLoop => {
                at_once(vec![switch("every_identify_op9", json!(false)), switch("every_resume_op9", json!(false)), Fault::Act(Act::Cut)])
            }
            Storm::HalfOpen => every(120_000, Fault::Freeze),
            Storm::OwnClose => every(600_000, Fault::Act(Act::Op7)),
            Storm::RefusedSecret => at_once(vec![Fault::WrongSecret]),
            Storm::TwoInstances => every(30_000, Fault::Act(Act::Op9(InvalidSession::Dead))),
        }
    }
}

impl Course {
    /// The most that fell into any minute.
    pub fn most_in_a_minute(times: &[u64]) -> usize {
        let mut first = 0;
        let mut most = 0;
        for (last, at) in times.iter().enumerate() {
            while at - times[first] >= 60_000 {
                first += 1;
            }
            most = most.max(last - first + 1);
        }
        most
    }

    /// How many fell into each minute of the first hour.
    pub fn first_hour(times: &[u64]) -> [u64; 60] {
        let mut minutes = [0; 60];
        for at in times {
            if let Some(minute) = minutes.get_mut(((at - BEGINS_MS) / 60_000) as usize) {
                *minute += 1;
            }
        }
        minutes
    }
}
