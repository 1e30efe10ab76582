//! Defects planted on purpose: each is seen by the promise that is meant to see it. A plant that nobody sees would be a missing promise.

use auk_gateway::Plant;
use auk_gateway_stories::{Promise, Simulation};

/// Enough for the rarest of them several times over.
const SEEDS: u64 = 1_000;

/// The promises that are meant to see a defect.
fn meant_for(plant: Plant) -> &'static [Promise] {
    use Promise::*;
    match plant {
        Plant::DeadTokenKept | Plant::ExpiredTokenUsed | Plant::RefusedTokenTrusted => &[TokenAlive],
        Plant::WatchdogChains | Plant::ReasonsMultiply => &[OneConnection],
        Plant::CoolDownIgnored => &[QuietAfterRateLimit],
        Plant::OwnCloseTakenForLoss | Plant::BackoffClearedByAddress | Plant::BackoffIgnored => &[BackoffHonoured],
        Plant::InvalidSessionFlagFlipped | Plant::InvalidSessionKept => &[IdentifyAfterInvalidSession],
        Plant::BackoffNeverCleared => &[BackoffCleared],
        Plant::ConnectsUnlimited => &[ConnectsWithinBound],
        Plant::LookUpsUnlimited => &[LookUpsWithinBound],
        Plant::TokenRequestsUnlimited => &[TokenRequestsWithinBound],
        Plant::IdentifiesUnlimited => &[IdentifiesWithinBound],
        Plant::AllowanceIgnored => &[AllowanceRespected],
        Plant::HelloNotAwaited => &[HelloFirst],
        Plant::AuthenticatesTwice => &[OneAuthentication],
        Plant::ResumesOneBehind => &[ResumeFromTheLast],
        Plant::RepeatsDelivered => &[DeliveredOnce],
        Plant::HeartbeatsDoubled => &[HeartbeatsSpaced],
        Plant::SilenceIgnored => &[HalfOpenLinkLeft],
        Plant::SilenceJudgedAtOnce => &[VerdictNotEarly],
        Plant::OldConnectionsBelieved => &[OldConnectionsIgnored],
        Plant::HelloWaitEndless | Plant::ReadyWaitEndless => &[StatesAreLeft],
        Plant::HaltsOnTrouble => &[HaltedForAReason],
        Plant::SlowLaneEndless | Plant::ReloadIgnored => &[ComesBack],
        Plant::StopIgnored | Plant::StopNeverEnds => &[StopsInTime, StatesAreLeft],
        // A limit that a new process does not know of is broken by it.
        Plant::AttemptsForgotten => &[TokenRequestsWithinBound, LookUpsWithinBound, ConnectsWithinBound, IdentifiesWithinBound],
    }
}

#[test]
fn every_planted_defect_is_seen_by_the_promise_that_is_meant_to_see_it() {
    let mut unseen = Vec::new();
    for plant in Plant::ALL {
        let meant = meant_for(plant);
        let sees = |seed: &u64| Simulation::planted(*seed, &[plant]).run().is_err_and(|violation| meant.contains(&violation.promise));
        match (0..SEEDS).find(sees) {
            Some(seed) => println!("{plant:?}: seen at seed {seed}"),
            None => unseen.push(plant),
        }
    }
    assert!(unseen.is_empty(), "not seen within {SEEDS} seeds: {unseen:?}");
}
