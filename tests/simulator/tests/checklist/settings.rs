//! Settings from a file, laid over the defaults.

use auk_simulator::{Settings, UnknownSession};
use serde_json::{Value, json};

use crate::client::{GROUP, Rig};

#[tokio::test]
async fn a_choice_is_named_in_snake_case_and_followed() {
    let rig = rig(&json!({"unknown_session": "close4006"}));
    let mut link = rig.greeted().await;
    rig.resume(&mut link, "5b0c3f1e-7a42-4e0d-9c11-2f6d8e90aa01", 1).await;
    assert_eq!(link.end_code().await, 4006);
}

#[tokio::test]
async fn a_switch_is_followed() {
    let rig = rig(&json!({"failures_as_http_200": true, "proactive_allowed": false}));
    let answer = rig.post(json!({"msg_type": 0, "content": "hi"})).await;
    assert_eq!((answer.status, answer.body["err_code"].is_number()), (200, true), "{}", answer.text);
}

#[test]
fn numbers_nulls_and_lists_take_the_place_of_the_defaults_and_the_rest_stays() {
    let patch =
        json!({"token_life_s": 90, "op7_interval_ms": null, "frames_per_minute_max": 7, "registered_hosts": ["a.example"], "users": []});
    let merged = Settings::default().merged(&patch).unwrap();
    let expected = Settings {
        token_life_s: 90,
        op7_interval_ms: None,
        frames_per_minute_max: Some(7),
        registered_hosts: vec!["a.example".to_owned()],
        users: Vec::new(),
        ..Settings::default()
    };
    assert_eq!(merged, expected);
    assert_eq!((merged.unknown_session, merged.groups[0].openid.as_str()), (UnknownSession::Op9, GROUP));
}

#[test]
fn a_file_of_all_settings_says_the_same_as_none() {
    let all = serde_json::to_value(Settings::default()).unwrap();
    assert_eq!(Settings::default().merged(&all), Ok(Settings::default()));
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let cases = [
        (json!({"token_lief_s": 90}), "token_lief_s"),
        (json!({"token_life_s": "90"}), "token_life_s"),
        (json!({"unknown_session": "Close4006"}), "unknown_session"),
        (json!({"groups": [{"openid": "A", "colour": 1}]}), "colour"),
        (json!({"heartbeat_interval_ms": 0}), "heartbeat_interval_ms"),
        (json!([]), "object"),
    ];
    for (patch, named) in cases {
        let problem = Settings::default().merged(&patch).expect_err("it cannot be");
        assert!(problem.contains(named), "{patch}: {problem}");
    }
}

fn rig(patch: &Value) -> Rig {
    Rig::with(|settings| *settings = Settings::default().merged(patch).unwrap())
}
