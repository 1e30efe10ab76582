//! The close-code table as text and as code say the same.

use auk_gateway::{CloseVerdict, HaltReason, close_verdict};

#[test]
fn every_close_code_of_the_table_is_judged_as_it_says() {
    let table = include_str!("../../vectors/close_codes.txt");
    let mut codes = 0;
    for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let code = words.next().expect("a code");
        let action = words.next().expect("an action");
        let code = if code == "none" { None } else { Some(code.parse().expect("a number")) };
        assert_eq!(close_verdict(code), verdict(action), "{line}");
        codes += 1;
    }
    assert_eq!(codes, 44, "the table was read whole");
}

fn verdict(action: &str) -> CloseVerdict {
    match action {
        "resume" => CloseVerdict::Resume,
        "resume-at-once" => CloseVerdict::ResumeAtOnce,
        "resume-after-pause" => CloseVerdict::ResumeAfterPause,
        "refresh-token" => CloseVerdict::RefreshToken,
        "identify" => CloseVerdict::Identify,
        "halt:protocol" => CloseVerdict::Halt(HaltReason::ProtocolRefused),
        "halt:intents" => CloseVerdict::Halt(HaltReason::IntentsRefused),
        "halt:delisted" => CloseVerdict::Halt(HaltReason::BotDelisted),
        "halt:banned" => CloseVerdict::Halt(HaltReason::BotBanned),
        "halt:address" => CloseVerdict::Halt(HaltReason::AddressNotAllowed),
        other => panic!("unknown action {other}"),
    }
}
