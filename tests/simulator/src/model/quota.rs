//! Quotas of proactive messages, and the rate of all messages.

use std::collections::BTreeMap;

use super::clock::Millis;
use super::rate::Window;
use super::settings::Settings;
use super::ticket::Scene;

const MINUTE_MS: u64 = 60_000;
const DAY_MS: u64 = 24 * 60 * MINUTE_MS;

/// Counts posts (QQ bot docs, server-inter/message/overview, July 2026).
#[derive(Debug)]
pub(super) struct QuotaBook {
    per_minute_each: usize,
    per_day_each: usize,
    groups: SceneQuota,
    users: SceneQuota,
    each: BTreeMap<Scene, (Window, Window)>,
}

#[derive(Debug)]
struct SceneQuota {
    proactive: Window,
    all: Window,
}

impl QuotaBook {
    pub(super) fn new(settings: &Settings) -> Self {
        let scene = || SceneQuota {
            proactive: Window::new(settings.proactive_per_minute, MINUTE_MS),
            all: Window::new(settings.sends_per_second_max, 1000),
        };
        Self {
            per_minute_each: settings.proactive_per_minute_each,
            per_day_each: settings.proactive_per_day_each,
            groups: scene(),
            users: scene(),
            each: BTreeMap::new(),
        }
    }

    /// Counts any post against the rate per second, and says whether it fits.
    pub(super) fn take_any(&mut self, scene: &Scene, now: Millis) -> bool {
        self.of(scene).all.try_take(now)
    }

    /// Whether a proactive post fits into every quota of its scene.
    pub(super) fn has_room(&mut self, scene: &Scene, now: Millis) -> bool {
        let overall = self.of(scene).proactive.has_room(now);
        let (minute, day) = self.each(scene);
        overall && minute.has_room(now) && day.has_room(now)
    }

    /// Counts a proactive post that went out.
    pub(super) fn take(&mut self, scene: &Scene, now: Millis) {
        self.of(scene).proactive.take(now);
        let (minute, day) = self.each(scene);
        minute.take(now);
        day.take(now);
    }

    fn of(&mut self, scene: &Scene) -> &mut SceneQuota {
        match scene {
            Scene::Group(_) => &mut self.groups,
            Scene::User(_) => &mut self.users,
        }
    }

    fn each(&mut self, scene: &Scene) -> &mut (Window, Window) {
        let (per_minute, per_day) = (self.per_minute_each, self.per_day_each);
        self.each.entry(scene.clone()).or_insert_with(|| (Window::new(per_minute, MINUTE_MS), Window::new(per_day, DAY_MS)))
    }
}

#[cfg(test)]
mod tests {
    use super::{QuotaBook, Scene, Settings};

    #[test]
    fn twenty_a_minute_fit_into_one_group_and_thirty_into_all() {
        let mut quota = QuotaBook::new(&Settings::default());
        let (one, two) = (Scene::Group("1".to_owned()), Scene::Group("2".to_owned()));
        let mut post = |scene: &Scene, now| {
            let fits = quota.has_room(scene, now);
            if fits {
                quota.take(scene, now);
            }
            fits
        };
        assert_eq!((0..25).filter(|_| post(&one, 0)).count(), 20);
        // Ten of thirty are left for all groups together.
        assert_eq!((0..25).filter(|_| post(&two, 0)).count(), 10);
        assert!(!post(&two, 59_999));
        assert!(post(&two, 60_000));
        assert!(post(&Scene::User("1".to_owned()), 0));
    }
}
