//! The catalogue of the platform's numbers says what the lists of facts say, and something useful about each.

use std::collections::BTreeSet;

use auk_gateway::{
    BodyCodes, CATALOGUE, CallRefusal, CloseVerdict, Event, HaltReason, Language, RefusalKind, Row, Section, Setback, close_advice,
    judge_call, judge_post, post_advice,
};
use auk_gateway_stories::Stage;
use serde_json::json;

#[test]
fn every_code_that_the_platform_names_is_in_its_place_of_the_catalogue_and_no_other_is() {
    let list = include_str!("../../vectors/refusal_codes.txt");
    for (place, section) in [("status", &CATALOGUE.status), ("token", &CATALOGUE.token), ("call", &CATALOGUE.call)] {
        let mut named = BTreeSet::new();
        for (code, line) in facts(list).filter_map(|line| line.strip_prefix(place).map(|rest| (rest.split_whitespace().next(), line))) {
            for code in span(code.expect("a code")) {
                assert!(named.insert(code), "twice: {line}");
            }
        }
        assert_same(place, &named, &codes(section));
    }
    let places = facts(list).map(|line| line.split_whitespace().next().expect("a place"));
    assert_eq!(places.collect::<BTreeSet<_>>(), BTreeSet::from(["call", "status", "token"]), "no line was passed over");
}

#[test]
fn every_close_code_that_has_a_meaning_is_in_the_catalogue_and_no_other_is() {
    // The list also has what stands for an end without a code, and numbers that nobody has given a meaning.
    let known = facts(include_str!("../../vectors/close_codes.txt")).filter_map(|line| {
        let mut words = line.split_whitespace();
        let code = words.next().expect("a code");
        (code != "none" && words.nth(1) != Some("unknown:")).then(|| code.parse().expect("a number"))
    });
    assert_same("close", &known.collect(), &codes(&CATALOGUE.close));
}

#[test]
fn no_code_is_in_two_rows_of_one_place() {
    assert_once(&CATALOGUE.close);
    assert_once(&CATALOGUE.status);
    assert_once(&CATALOGUE.token);
    assert_once(&CATALOGUE.call);
}

#[test]
fn every_advice_is_one_short_line_in_either_language() {
    let calls = [&CATALOGUE.status, &CATALOGUE.token, &CATALOGUE.call].into_iter().flat_map(|section| section.rows);
    let said = calls.flat_map(said).chain(CATALOGUE.close.rows.iter().flat_map(said));
    for (language, text) in said {
        assert!(!text.contains(char::is_control), "{text}");
        assert!((12..=160).contains(&text.chars().count()), "{} characters: {text}", text.chars().count());
        let is_chinese = text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
        assert_eq!(is_chinese, language == Language::ZhCn, "{text}");
        assert!(text.ends_with(['。', '.']), "{text}");
    }
}

#[test]
fn what_only_the_operator_can_mend_is_said_in_the_words_of_the_halt() {
    let mut rows = 0;
    for row in CATALOGUE.close.rows {
        if let CloseVerdict::Halt(reason) = row.kind {
            assert_eq!(said(row), LANGUAGES.map(|language| (language, reason.advice(language))));
            rows += 1;
        }
    }
    for row in CATALOGUE.token.rows.iter().chain(CATALOGUE.call.rows) {
        if let RefusalKind::Operator(reason) = row.kind {
            assert_eq!(said(row), LANGUAGES.map(|language| (language, reason.advice(language))));
            rows += 1;
        }
    }
    assert!(rows >= 9, "{rows}");
}

#[test]
fn a_number_of_the_catalogue_is_advised_on_and_any_other_by_what_is_done_about_it() {
    let english = Language::EnUs;
    assert!(close_advice(Some(4903), english).contains("right to group events"));
    assert_eq!(close_advice(None, english), close_advice(Some(1006), english));
    assert_eq!(close_advice(Some(4999), english), close_advice(Some(1006), english), "tried with Resume");
    assert_eq!(post_advice(401, Some(40_023_002), english), HaltReason::AddressNotAllowed.advice(english));
    assert_eq!(post_advice(429, None, english), RefusalKind::RateLimited.advice(english));
    assert_eq!(post_advice(418, None, english), RefusalKind::Unknown.advice(english));
    // The status alone promises that it mends itself, but a post with an unknown code is not repeated.
    assert_eq!(post_advice(500, None, english), RefusalKind::Transient.advice(english));
    assert_eq!(judge_post(500, Some(987_654_321)), Some(RefusalKind::Unknown));
    assert_eq!(post_advice(500, Some(987_654_321), english), RefusalKind::Unknown.advice(english));
}

#[test]
fn the_first_number_that_concerns_the_session_counts_and_the_status_only_without_one() {
    for (status, code, err_code, expected) in [
        (401, Some(11_298), Some(40_023_002), CallRefusal::Operator(HaltReason::AddressNotAllowed)),
        (400, Some(11_244), Some(40_023_001), CallRefusal::Token),
        (400, Some(11_255), Some(40_023_001), CallRefusal::RateLimited),
        (429, Some(11_244), None, CallRefusal::Token),
        (429, Some(11_253), None, CallRefusal::RateLimited),
        (401, None, None, CallRefusal::Token),
        (401, Some(11_253), None, CallRefusal::Other),
        (401, None, Some(987_654_321), CallRefusal::Other),
        (500, None, None, CallRefusal::Other),
        // The token endpoint's own number says nothing elsewhere.
        (200, Some(100_016), None, CallRefusal::Other),
    ] {
        assert_eq!(judge_call(status, code, err_code), expected, "HTTP {status}, {code:?}, {err_code:?}");
    }
}

#[test]
fn a_number_in_a_body_may_be_text_and_zero_is_none() {
    for (body, code, err_code) in [
        (r#"{"code":11244,"err_code":40023001}"#, Some(11_244), Some(40_023_001)),
        (r#"{"code":"11244","err_code":" 40023001 "}"#, Some(11_244), Some(40_023_001)),
        (r#"{"code":0,"err_code":"0"}"#, None, None),
        (r#"{"code":null,"err_code":{"x":1}}"#, None, None),
        (r#"{"code":"wrong","err_code":7}"#, None, Some(7)),
        (r#"{"message":"code 11244"}"#, None, None),
        ("11244", None, None),
        ("<html>502</html>", None, None),
        ("", None, None),
    ] {
        assert_eq!(BodyCodes::read(body), BodyCodes { code, err_code }, "{body}");
    }
    assert_eq!(BodyCodes { code: Some(11_298), err_code: Some(40_023_002) }.name(), Some(40_023_002));
    assert_eq!(BodyCodes { code: Some(11_298), err_code: None }.name(), Some(11_298));
}

#[test]
fn a_refusal_whose_number_came_as_text_is_acted_on_all_the_same() {
    let mut stage = Stage::new();
    stage.answer_token(200, json!({ "code": "100016" }));
    assert_eq!(stage.state(), "halted");
    let mut stage = Stage::new();
    stage.grant_token("t1");
    stage.answer_address(401, json!({ "code": "11244", "message": "x" }));
    assert_eq!(stage.state(), "awaiting_token", "the token is dead");
}

#[test]
fn the_token_endpoint_is_believed_about_the_address_and_the_pace_as_well() {
    let mut stage = Stage::new();
    stage.answer_token(401, json!({ "code": 11_298, "err_code": 40_023_002 }));
    assert!(matches!(&stage.take_told()[..], [(_, Event::Halted { reason: HaltReason::AddressNotAllowed, .. })]));
    // No token is there to be refused: this is a failure that may pass.
    let mut stage = Stage::new();
    stage.answer_token(401, json!({ "code": 11_244 }));
    let told = stage.take_told();
    assert!(matches!(&told[..], [(_, Event::SetBack { setback: Setback::Token(cause), .. })] if cause.contains("11244")), "{told:?}");
}

const LANGUAGES: [Language; 2] = [Language::ZhCn, Language::EnUs];

fn said<K: Copy>(row: &Row<K>) -> [(Language, &'static str); 2] {
    LANGUAGES.map(|language| (language, row.advice(language)))
}

fn codes<K: Copy>(section: &Section<K>) -> BTreeSet<i64> {
    section.rows.iter().flat_map(Row::codes).collect()
}

fn assert_once<K: Copy + std::fmt::Debug>(section: &Section<K>) {
    let mut seen = BTreeSet::new();
    for row in section.rows {
        for code in row.codes() {
            assert!(seen.insert(code), "{code} is in {row:?} and in another");
        }
    }
}

fn assert_same(place: &str, listed: &BTreeSet<i64>, catalogued: &BTreeSet<i64>) {
    let missing: Vec<_> = listed.difference(catalogued).collect();
    let unlisted: Vec<_> = catalogued.difference(listed).collect();
    assert!(missing.is_empty() && unlisted.is_empty(), "{place}: not in the catalogue {missing:?}, not in the list {unlisted:?}");
}

fn facts(list: &str) -> impl Iterator<Item = &str> {
    list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// `302xxx` is a thousand codes.
fn span(code: &str) -> std::ops::Range<i64> {
    let (number, size) = code.strip_suffix("xxx").map_or((code, 1), |family| (family, 1_000));
    let number: i64 = number.parse().expect("a number");
    number * size..(number + 1) * size
}
