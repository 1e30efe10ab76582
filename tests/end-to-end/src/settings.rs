//! The settings file of a server that is started here.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use crate::Failure;

/// The platform that the bot talks to.
#[derive(Debug, Clone)]
pub enum Platform {
    /// The simulator at this address, such as `http://127.0.0.1:40000`.
    Simulator(String),
    /// The vendor's own, at the addresses that Auk has by default.
    Real,
}

/// What `auk.toml` is to say.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The bot's id.
    pub app_id: String,
    /// The bot's secret.
    pub secret: String,
    /// Which platform.
    pub platform: Platform,
    /// The openids of the groups.
    pub groups: Vec<String>,
}

impl Settings {
    /// Writes `config/auk/auk.toml` below `dir`, for its owner's eyes alone where the system can tell: it holds a secret.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn write(&self, dir: &Path) -> Result<(), Failure> {
        let failed = |source| Failure::Process { process: "writing auk.toml".to_owned(), source };
        let config = dir.join("config").join("auk");
        fs::create_dir_all(&config).map_err(failed)?;
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(config.join("auk.toml")).map_err(failed)?;
        file.write_all(self.text().as_bytes()).map_err(failed)
    }

    fn text(&self) -> String {
        let mut text = String::from("config_version = 1\nlanguage = \"zh-CN\"\n");
        let _ = write!(text, "\n[bot]\napp_id = {:?}\nsecret = {:?}\n", self.app_id, self.secret);
        match &self.platform {
            Platform::Simulator(base) => {
                let _ = write!(text, "\n[platform]\ntoken_url = \"{base}/app/getAppAccessToken\"\napi_base = \"{base}\"\n");
            }
            Platform::Real => {}
        }
        text.push_str("\n[server]\nname = \"生存服\"\n");
        for group in &self.groups {
            let _ = write!(text, "\n[[groups]]\nopenid = {group:?}\n");
        }
        text
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use crate::Stage;

    #[test]
    fn nobody_but_the_owner_reads_the_file_with_the_secret() {
        let dir = tempfile::tempdir().unwrap();
        Stage::settings("http://127.0.0.1:1").write(dir.path()).unwrap();
        let mode = dir.path().join("config/auk/auk.toml").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
