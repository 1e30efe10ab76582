use serde::Deserialize;
use serde_json::value::RawValue;

/// The numbers in an answer's body that tell a refusal. 0 and what is no number count as missing; a number may also come as text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BodyCodes {
    /// The older number.
    pub code: Option<i64>,
    /// The newer number. It may be equal to the older one or not, and either may be missing.
    pub err_code: Option<i64>,
}

impl BodyCodes {
    /// Reads a body; one that is unreadable has no numbers.
    pub fn read(body: &str) -> Self {
        #[derive(Default, Deserialize)]
        struct Body<'a> {
            #[serde(borrow, default)]
            code: Option<&'a RawValue>,
            #[serde(borrow, default)]
            err_code: Option<&'a RawValue>,
        }
        let body: Body<'_> = serde_json::from_str(body).unwrap_or_default();
        Self { code: body.code.and_then(number), err_code: body.err_code.and_then(number) }
    }

    /// The one number that names the refusal: the newer, else the older.
    pub fn name(self) -> Option<i64> {
        self.err_code.or(self.code)
    }
}

fn number(raw: &RawValue) -> Option<i64> {
    raw.get().trim_matches('"').trim().parse().ok().filter(|code| *code != 0)
}
