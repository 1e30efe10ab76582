//! The storm table as Markdown.

use auk_gateway::{Language, Plant};

use crate::{Course, Storm, cases};

/// A day of each fault on a machine.
pub struct Days([Course; 10]);

/// Runs a day of each fault on the machine as built.
pub fn days_as_built() -> Days {
    Days(Storm::ALL.map(|storm| storm.run(&[])))
}

/// Runs a day of each fault on the machine with the four defects that the project began with. It takes minutes: there are millions of
/// requests.
pub fn days_with_the_original_defects() -> Days {
    Days(Storm::ALL.map(|storm| storm.run(&Plant::ORIGINAL)))
}

/// Everything, as a README keeps it.
pub fn whole(built_days: &Days, defective_days: &Days, language: Language) -> String {
    let (built, defective, growth_of, named) = match language {
        Language::EnUs => (
            "As built:",
            "With the four defects of the original report (the dead token kept, chains of attempts, the own close taken for a loss, the back-off cleared by the address), and a log line for each failure:",
            "Look-ups in each minute of the first hour of a dead token,",
            "The named cases of that report:",
        ),
        Language::ZhCn => (
            "现在的实现：",
            "带有当年那四个缺陷（401 后仍用失效令牌、重连链叠加、把自己的关闭当成掉线、拿到地址就清零退避），每次失败写一行日志：",
            "令牌失效的第一个小时里每分钟的地址查询次数，",
            "当年报告中的五个具体情形：",
        ),
    };
    format!(
        "{built}\n\n{}\n{defective}\n\n{}\n{growth_of} {}\n{named}\n\n{}",
        as_built(built_days, language),
        with_the_original_defects(defective_days, language),
        growth(language),
        named_cases(language)
    )
}

/// A day of each fault on the machine as built, and what the limits allow at most.
pub fn as_built(days: &Days, language: Language) -> String {
    let rows = rows(days, |course| course.logged, language);
    let bound = match language {
        Language::EnUs => "**the bound, under any fault**",
        Language::ZhCn => "**任何故障下的上限**",
    };
    // 2 + 86,400 / 60, 3 in a minute; 3 + 86,400 / 61, 3 in a minute; 35 + 86,400 / 15; 10 + 86,400 / 90.
    table(&rows, language) + &format!("| {bound} | 1442 | 3 | 1419 | 3 | 5795 | 970 | | |\n")
}

/// The same with the defects, and a line of the log for each failure.
pub fn with_the_original_defects(days: &Days, language: Language) -> String {
    table(&rows(days, |course| course.failures, language), language)
}

/// Look-ups in each minute of the first hour with a dead token, and by how many a minute they grow each minute.
pub fn growth(language: Language) -> String {
    let hour = |plants: &[Plant]| Course::first_hour(&Storm::DeadToken.run_for(3_600_000, plants).attempts.look_ups);
    let (as_built, defective) = (hour(&[]), hour(&Plant::ORIGINAL));
    let line = |minutes: [u64; 60]| minutes.map(|count| count.to_string()).join(" ");
    let (slope_built, slope_defective) = (slope(&as_built), slope(&defective));
    let (built, with) = match language {
        Language::EnUs => (
            format!("as built ({slope_built:+.2} a minute each minute):"),
            format!("with the defects ({slope_defective:+.2} a minute each minute; the field saw +4.3):"),
        ),
        Language::ZhCn => (
            format!("现在的实现（每分钟增加 {slope_built:+.2} 次）："),
            format!("带缺陷的实现（每分钟增加 {slope_defective:+.2} 次；实际观测为 +4.3）："),
        ),
    };
    format!("{built}\n\n```\n{}\n```\n\n{with}\n\n```\n{}\n```\n", line(as_built), line(defective))
}

/// The five named cases.
pub fn named_cases(language: Language) -> String {
    let rows = cases::cases(language).map(|case| format!("| {} | {} | {} |\n", case.name, case.as_built, case.with_defect));
    let head = match language {
        Language::EnUs => "| case | as built | with the defect |",
        Language::ZhCn => "| 情形 | 现在 | 带缺陷 |",
    };
    format!("{head}\n|---|---|---|\n{}", rows.concat())
}

fn rows(days: &Days, lines: fn(&Course) -> u64, language: Language) -> Vec<String> {
    Storm::ALL.iter().zip(&days.0).map(|(storm, course)| row(storm.name(language), course, lines, language)).collect()
}

fn table(rows: &[String], language: Language) -> String {
    let head = match language {
        Language::EnUs => {
            "| fault, for 24 h | look-ups | most in a minute | token requests | most in a minute | connects | identifies | log lines | live again after |"
        }
        Language::ZhCn => {
            "| 故障，持续 24 小时 | 地址查询 | 一分钟最多 | 令牌请求 | 一分钟最多 | 连接 | Identify | 日志行 | 故障结束后恢复 |"
        }
    };
    format!("{head}\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n{}", rows.concat())
}

fn row(name: &str, course: &Course, lines: impl Fn(&Course) -> u64, language: Language) -> String {
    let attempts = &course.attempts;
    let never = match language {
        Language::EnUs => "not within an hour",
        Language::ZhCn => "一小时内未恢复",
    };
    let recovered = course.recovered_ms.map_or(never.to_owned(), |ms| format!("{:.1} s", ms as f64 / 1_000.0));
    format!(
        "| {name} | {} | {} | {} | {} | {} | {} | {} | {recovered} |\n",
        attempts.look_ups.len(),
        Course::most_in_a_minute(&attempts.look_ups),
        attempts.token_requests.len(),
        Course::most_in_a_minute(&attempts.token_requests),
        attempts.connects.len(),
        attempts.identifies.len(),
        lines(course),
    )
}

/// By least squares.
fn slope(minutes: &[u64; 60]) -> f64 {
    let mean_x = 29.5;
    let mean_y = minutes.iter().sum::<u64>() as f64 / 60.0;
    let (mut above, mut below) = (0.0, 0.0);
    for (minute, count) in minutes.iter().enumerate() {
        above += (minute as f64 - mean_x) * (*count as f64 - mean_y);
        below += (minute as f64 - mean_x).powi(2);
    }
    // Rounded as it is printed, so that nothing is no negative nothing.
    (above / below * 100.0).round() / 100.0 + 0.0
}
