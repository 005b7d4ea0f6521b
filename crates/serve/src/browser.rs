//! A file that leads a browser to the page. The address has the token, and the arguments of a
//! process are readable by every user of the machine; a file of mode 0600 is not.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// A file that is removed when this is dropped.
#[derive(Debug)]
pub struct Redirect(PathBuf);

impl Redirect {
    /// Makes the file in a folder.
    ///
    /// # Errors
    /// What the system says.
    pub fn new(folder: &Path, address: &str) -> io::Result<Redirect> {
        let path = folder.join(format!("pompeii-{}.html", std::process::id()));
        // One of an earlier process with the same number.
        let _ = fs::remove_file(&path);
        let mut file = File::options().write(true).create_new(true).mode(0o600).open(&path)?;
        let redirect = Redirect(path);
        write!(
            file,
            "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>Pompeii</title>\n\
             <meta http-equiv=\"refresh\" content=\"0; url={address}\">\n\
             <a href=\"{address}\">Open the page</a>\n"
        )?;
        Ok(redirect)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Redirect {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn only_the_user_can_read_it_and_it_does_not_stay() {
        let folder = tempfile::tempdir().unwrap();
        let redirect = Redirect::new(folder.path(), "http://127.0.0.1:1/#token=ab").unwrap();
        let path = redirect.path().to_owned();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(fs::read_to_string(&path).unwrap().contains("url=http://127.0.0.1:1/#token=ab"));
        drop(redirect);
        assert!(!path.exists());
    }
}
