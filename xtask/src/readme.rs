//! Tables in the READMEs that a program writes, each between two marks.

use std::fs;

use crate::Workspace;
use crate::problem::Problem;

/// Puts `text` between `<!-- table -->` and `<!-- /table -->`.
pub(crate) fn renew(workspace: &Workspace, file: &str, table: &str, text: &str) -> Result<(), Problem> {
    let path = workspace.root.join(file);
    let problem = |source| Problem::File { path: path.clone(), source };
    let readme = fs::read_to_string(&path).map_err(problem)?;
    let (begin, end) = (format!("<!-- {table} -->\n"), format!("<!-- /{table} -->\n"));
    let parts = readme.split_once(&begin).and_then(|(before, rest)| Some((before, rest.split_once(&end)?.1)));
    let Some((before, after)) = parts else {
        return Err(problem(std::io::Error::other(format!("the marks of the table {table} are missing"))));
    };
    fs::write(&path, [before, &begin, text, &end, after].concat()).map_err(problem)
}
