use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::clean;
use crate::command::{Command, Questions, players_online};
use crate::console::{Answer, Order, Trials, report};
use crate::contract::{BridgeStatus, Effect, Errand, Input};
use crate::dedupe::Seen;
use crate::frame::{Call, Player, ToJava, ToNative};
use crate::group_message::{GroupMessage, group_openid, read_data};
use crate::ledger::{Ledger, Trouble};
use crate::notice::Notice;
use crate::outbox::{Outbox, Shared};
use crate::pace::Pace;
use crate::post::{Outcome, PostId};
use crate::route::{GameEvent, Routes};
use crate::settings::Settings;
use crate::stranger::Strangers;
use crate::text::short_openid;
use crate::words::words;
use auk_gateway::{Language, Status, Timestamp};

/// The bridge between one Minecraft server and its groups.
///
/// One change ([`handle_input`](Self::handle_input) or [`handle_timeout`](Self::handle_timeout)), then
/// [`poll_effect`](Self::poll_effect) until `None`, then wait for the next input, no longer than until
/// [`poll_timeout`](Self::poll_timeout).
#[derive(Debug)]
pub struct Bridge {
    routes: Routes,
    outboxes: BTreeMap<String, Outbox>,
    shared: Shared,
    seen: Seen,
    questions: Questions,
    strangers: Strangers,
    trials: Trials,
    ledger: Ledger,
    life: Life,
    now: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Running,
    /// Says what can still be said.
    Flushing,
    /// Says nothing more.
    Drained,
}

impl Bridge {
    /// A bridge before its gateway session. Problems of the settings come out as notices; none stops it.
    pub fn new(settings: Settings, now: Timestamp) -> Self {
        let mut bridge = Self {
            routes: Routes::new(&Settings::default()),
            outboxes: BTreeMap::new(),
            shared: Shared {
                is_up: false,
                pace: Pace::default(),
                limits: settings.limits.clone(),
                language: settings.language,
                last_post: 0,
            },
            seen: Seen::default(),
            questions: Questions::default(),
            strangers: Strangers::default(),
            trials: Trials::default(),
            ledger: Ledger::default(),
            life: Life::Running,
            now,
        };
        bridge.apply(settings);
        bridge
    }

    /// Something happened at `now`.
    pub fn handle_input(&mut self, input: Input, now: Timestamp) {
        self.now = now;
        match input {
            Input::Server(frame) => self.on_server(&frame),
            Input::Dispatch { event, data } => self.on_dispatch(&event, &data),
            Input::GatewayUp => self.on_gateway_up(),
            Input::GatewayDown => self.shared.is_up = false,
            Input::Posted { post, outcome } => self.on_posted(post, &outcome),
            Input::Reload(settings) => self.apply(settings),
            Input::GiveUp => self.finish(),
            Input::Stop => self.life = if self.life == Life::Running { Life::Flushing } else { self.life },
        }
        self.advance();
    }

    /// It is `now`, and a deadline may have passed.
    pub fn handle_timeout(&mut self, now: Timestamp) {
        self.now = now;
        self.advance();
    }

    /// The next thing to be done, until `None`.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        self.ledger.pop()
    }

    /// When [`handle_timeout`](Self::handle_timeout) is to be called if nothing happens before. Always later than the last `now`.
    pub fn poll_timeout(&self) -> Option<Timestamp> {
        if self.life == Life::Drained {
            return None;
        }
        let ways = self.outboxes.values().filter_map(|outbox| outbox.deadline(&self.shared, self.now));
        ways.chain(self.questions.deadline()).chain(self.trials.deadline()).min()
    }

    /// The counters.
    pub fn status(&self) -> BridgeStatus {
        BridgeStatus {
            waiting: self.outboxes.values().map(Outbox::waiting).sum(),
            dropped: self.ledger.dropped,
            uncertain: self.ledger.uncertain,
            said: self.ledger.said,
            posted: self.ledger.posted,
        }
    }

    /// The lines that answer [`Errand::Status`], with the gateway's own status.
    pub fn report(&self, gateway: &Status) -> Answer {
        let language = self.shared.language;
        let obstacle = |openid| self.outboxes.get(openid)?.obstacle(&self.shared, self.now, self.now);
        let groups = self.routes.labels().map(|(openid, label)| (label, obstacle(openid).map(|obstacle| obstacle.words(language))));
        Answer::success(report(gateway, self.status(), &groups.collect::<Vec<_>>(), language))
    }

    /// How many groups are set up.
    pub fn groups(&self) -> usize {
        self.routes.openids().count()
    }

    /// Whether, after [`Input::Stop`], everything is said that can be said. The driver waits for it, but not for long.
    pub const fn is_drained(&self) -> bool {
        matches!(self.life, Life::Drained)
    }

    /// The language of the settings, for [`Notice::words`].
    pub const fn language(&self) -> Language {
        self.shared.language
    }

    fn on_gateway_up(&mut self) {
        self.shared.is_up = true;
        self.outboxes.values_mut().for_each(Outbox::reach);
    }

    fn on_server(&mut self, frame: &ToNative) {
        if let ToNative::Players { request, online, max } = frame {
            self.on_players(*request, online, *max);
        }
        if let ToNative::Command(call) = frame {
            self.on_command(call);
        }
        if let Some(event) = GameEvent::of(frame) {
            self.submit(event);
        }
    }

    /// Hands the event's lines to the groups that want it; returns how many groups one was queued for.
    fn submit(&mut self, event: GameEvent<'_>) -> usize {
        let goes = self.life != Life::Drained;
        let mut groups = 0;
        for (group, line) in self.routes.to_groups(event) {
            match self.outboxes.get_mut(group) {
                Some(outbox) if goes && !line.is_empty() => {
                    outbox.submit(line, self.now);
                    groups += 1;
                }
                Some(_) | None => self.ledger.dropped += 1,
            }
        }
        groups
    }

    fn on_command(&mut self, call: &Call) {
        let Call { request, caller, .. } = call;
        let (request, language) = (*request, self.shared.language);
        if self.life != Life::Running {
            return self.reply(request, Answer::stopping(language));
        }
        match Order::read(call, language) {
            Err(answer) => self.reply(request, answer),
            Ok(Order::Help) => self.reply(request, Answer::help(language)),
            Ok(Order::Status) => self.ledger.push(Effect::Errand(Errand::Status { request })),
            Ok(Order::Reload) => self.ledger.push(Effect::Errand(Errand::Reload { request })),
            Ok(Order::Reconnect) => self.ledger.push(Effect::Errand(Errand::Reconnect { request })),
            Ok(Order::Send { text }) => {
                let answer = self.send(caller, &text);
                self.reply(request, answer);
            }
            Ok(Order::Test) => self.begin_trial(request, caller),
        }
    }

    fn reply(&mut self, request: u64, answer: Answer) {
        self.ledger.push(Effect::ToJava(answer.into_frame(request)));
    }

    fn send(&mut self, name: &str, text: &str) -> Answer {
        let words = words(self.shared.language);
        if self.groups() == 0 {
            return Answer::failure(words.text("notice-no-groups"));
        }
        if clean::qq(text).is_empty() {
            return Answer::failure(words.text("send-nothing"));
        }
        match self.submit(GameEvent::Sent { name, text }) {
            0 => Answer::failure(words.text("send-unwanted")),
            groups if self.shared.is_up => Answer::success(vec![words.fill("send-queued", [("groups", groups.into())])]),
            groups => Answer::success(vec![words.fill("send-kept", [("groups", groups.into())])]),
        }
    }

    /// A line to each group, whatever it wants to hear of the game: it is the way that is tried.
    fn begin_trial(&mut self, request: u64, caller: &str) {
        let words = words(self.shared.language);
        if self.groups() == 0 {
            return self.reply(request, Answer::failure(words.text("notice-no-groups")));
        }
        let line = self.routes.own_line(&words.fill("test-line", [("caller", caller.into())]));
        let groups = self.routes.labels().map(|(openid, label)| (openid.clone(), label)).collect();
        for (group, mark) in self.trials.begin(request, groups, self.now) {
            let now = self.now;
            self.outbox(&group).submit_marked(line.clone(), mark, now);
        }
    }

    fn on_players(&mut self, request: u64, online: &[Player], max: i32) {
        if let Some(asker) = self.questions.close(request) {
            let text = players_online(online, max, words(self.shared.language));
            let now = self.now;
            self.outbox(&asker.group).answer(text, asker.ticket, now);
        }
    }

    fn on_dispatch(&mut self, event: &str, data: &RawValue) {
        let handle: fn(&mut Self, &Value) -> Option<()> = match event {
            "GROUP_AT_MESSAGE_CREATE" => |bridge, data| bridge.on_group_message(data, true),
            "GROUP_MESSAGE_CREATE" => |bridge, data| bridge.on_group_message(data, false),
            "GROUP_MSG_RECEIVE" => |bridge, data| bridge.on_active_switched(data, true),
            "GROUP_MSG_REJECT" => |bridge, data| bridge.on_active_switched(data, false),
            "GROUP_ADD_ROBOT" => Self::on_joined,
            "GROUP_DEL_ROBOT" => Self::on_left,
            // New events appear every month, and most of the known ones are not about groups.
            _ => return,
        };
        let cause = match read_data(data) {
            Ok(data) if handle(self, &data).is_some() => return,
            Ok(_) => "no group_openid".to_owned(),
            Err(cause) => cause,
        };
        let notice = Notice::EventUnreadable { event: event.to_owned(), cause };
        self.ledger.note_trouble(Trouble::EventUnreadable, notice, self.now);
    }

    fn on_group_message(&mut self, data: &Value, is_at_event: bool) -> Option<()> {
        let message = GroupMessage::read(data, is_at_event, words(self.shared.language))?;
        if message.by_bot || message.id.as_ref().is_some_and(|id| !self.seen.is_new(id, self.now)) {
            return Some(());
        }
        if !self.routes.knows(&message.group) {
            self.on_stranger(&message);
            return Some(());
        }
        let now = self.now;
        self.outbox(&message.group).hear(message.id.as_deref(), now);
        match Command::read(&message.text) {
            Some(Command::ListPlayers) => self.ask_for_players(message),
            None => {
                let line = self.routes.to_game(&message.group, &message.member, &message.text, message.mentioned);
                if let Some(line) = line {
                    self.ledger.say(line);
                }
            }
        }
        Some(())
    }

    fn ask_for_players(&mut self, message: GroupMessage) {
        if self.life != Life::Running || self.questions.is_open(&message.group) {
            return;
        }
        let now = self.now;
        let ticket = message.id.and_then(|id| self.outbox(&message.group).reserve(&id, now));
        let request = self.questions.open(message.group, ticket, now);
        self.ledger.push(Effect::ToJava(ToJava::ListPlayers { request }));
    }

    /// Tells a group that is not set up how to set itself up, when it asks.
    fn on_stranger(&mut self, message: &GroupMessage) {
        let Some(id) = message.id.as_ref().filter(|_| message.mentioned) else { return };
        let now = self.now;
        if !self.strangers.may_answer(&message.group, now) {
            return;
        }
        let text = words(self.shared.language).fill("group-not-set-up", [("openid", message.group.as_str().into())]);
        let outbox = self.outboxes.entry(message.group.clone()).or_insert_with(|| Outbox::new(&message.group, false));
        outbox.hear(Some(id), now);
        let ticket = outbox.reserve(id, now);
        outbox.answer(text, ticket, now);
        self.ledger.note(Notice::GroupUnknown { group: short_openid(&message.group) });
    }

    fn on_active_switched(&mut self, data: &Value, allowed: bool) -> Option<()> {
        let group = group_openid(data)?;
        if self.routes.knows(&group) && self.outbox(&group).allow_active(allowed) {
            self.ledger.note(Notice::ActiveSwitched { group: short_openid(&group), allowed });
        }
        Some(())
    }

    fn on_joined(&mut self, data: &Value) -> Option<()> {
        let group = group_openid(data)?;
        if let Some(outbox) = self.outboxes.get_mut(&group) {
            outbox.release();
        }
        self.ledger.note(Notice::GroupJoined { group: short_openid(&group) });
        Some(())
    }

    fn on_left(&mut self, data: &Value) -> Option<()> {
        let group = group_openid(data)?;
        self.ledger.note(Notice::GroupLeft { group: short_openid(&group) });
        Some(())
    }

    fn on_posted(&mut self, post: PostId, outcome: &Outcome) {
        for outbox in self.outboxes.values_mut() {
            if outbox.settle(post, outcome, &mut self.ledger, self.now) {
                return;
            }
        }
    }

    /// Takes new settings over. What waits for a group that stays keeps waiting; a reload also tries every way at once.
    fn apply(&mut self, settings: Settings) {
        for problem in settings.validate() {
            self.ledger.note(Notice::Settings(problem));
        }
        let settings = settings.usable();
        if settings.groups.is_empty() {
            self.ledger.note(Notice::NoGroups);
        }
        self.shared.language = settings.language;
        self.shared.limits = settings.limits.clone();
        self.routes = Routes::new(&settings);
        for (group, outbox) in &mut self.outboxes {
            outbox.release();
            if !self.routes.knows(group) {
                outbox.clear(&mut self.ledger, self.now);
                outbox.allow_active(false);
            }
        }
        for group in self.routes.openids() {
            let outbox = self.outboxes.entry(group.clone()).or_insert_with(|| Outbox::new(group, true));
            outbox.allow_active(true);
        }
    }

    /// Starts whatever may go, the way that waited longest first.
    fn advance(&mut self) {
        if self.life == Life::Drained {
            return;
        }
        self.answer_late_questions();
        let mut ways: Vec<&mut Outbox> = self.outboxes.values_mut().collect();
        ways.sort_by_key(|outbox| outbox.oldest());
        for outbox in ways {
            outbox.give_up(&self.shared, &mut self.ledger, self.now);
            if let Some(post) = outbox.advance(&mut self.shared, self.now) {
                self.ledger.push(Effect::Post(post));
            }
        }
        self.judge_trials();
        let routes = &self.routes;
        self.outboxes.retain(|group, outbox| routes.knows(group) || outbox.waiting() > 0 || outbox.is_in_flight());
        if self.life == Life::Flushing && !self.outboxes.values().any(Outbox::is_in_flight) {
            self.finish();
        }
    }

    fn judge_trials(&mut self) {
        let fates = self.ledger.take_fates();
        for answer in self.trials.judge(&fates, &self.outboxes, &self.shared, self.now) {
            self.ledger.push(Effect::ToJava(answer));
        }
    }

    fn answer_late_questions(&mut self) {
        let now = self.now;
        while let Some(asker) = self.questions.close_late(now) {
            let text = words(self.shared.language).text("online-unanswered");
            self.outbox(&asker.group).answer(text, asker.ticket, now);
        }
    }

    fn finish(&mut self) {
        if self.life == Life::Drained {
            return;
        }
        self.life = Life::Drained;
        for answer in self.trials.stop(self.shared.language) {
            self.ledger.push(Effect::ToJava(answer));
        }
        let lines: u64 = self.outboxes.values_mut().map(|outbox| outbox.clear(&mut self.ledger, self.now)).sum();
        if lines > 0 {
            self.ledger.note(Notice::LeftBehind { lines });
        }
    }

    /// The way to a group; a question's group may have left the settings since.
    fn outbox(&mut self, group: &str) -> &mut Outbox {
        self.outboxes.entry(group.to_owned()).or_insert_with(|| Outbox::new(group, false))
    }
}
