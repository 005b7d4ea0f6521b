//! `pompeii view` as a benchmark uses it: started with a cache folder of its own, asked over HTTP,
//! and looked at from outside.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, SysconfVar, sysconf};
use serde_json::Value;

/// Pause between two looks at the progress.
const PAUSE: Duration = Duration::from_millis(2);

/// A server that runs.
pub struct Server {
    child: Child,
    port: u16,
    token: String,
}

impl Server {
    /// Starts a server for a trace.
    pub fn start(pompeii: &Path, anchor: &Path, cache: &Path) -> Result<Server> {
        let mut command = Command::new(pompeii);
        command.args(["view", "--no-open"]).arg(anchor).env("XDG_CACHE_HOME", cache);
        command.env_remove("POMPEII_HOME").stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().with_context(|| pompeii.display().to_string())?;
        let stdout = child.stdout.take().context("no output")?;
        let line = BufReader::new(stdout).lines().next().context("no address")??;
        let address = line.split_once("127.0.0.1:").map(|(_, rest)| rest).unwrap_or_default();
        let (port, token) = address.split_once("/#token=").context("no address")?;
        Ok(Server { child, port: port.parse()?, token: token.trim().to_owned() })
    }

    /// The address of the page.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/#token={}", self.port, self.token)
    }

    /// The content of an answer, below `/api/` or a file of the page.
    pub fn get(&self, path: &str) -> Result<Vec<u8>> {
        self.get_with(path, "")
    }

    /// Bytes of the content of an answer as a browser gets it, which takes it packed.
    pub fn packed_bytes(&self, path: &str) -> Result<usize> {
        Ok(self.get_with(path, "Accept-Encoding: gzip\r\n")?.len())
    }

    fn get_with(&self, path: &str, headers: &str) -> Result<Vec<u8>> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_nodelay(true)?;
        let token = &self.token;
        let request = format!(
            "GET /{path} HTTP/1.1\r\nHost: localhost\r\nX-Pompeii-Token: {token}\r\n\
             {headers}Connection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes())?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        let head = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").context("no head")?;
        let content = answer.split_off(head + 4);
        let status = answer.get(9..12).unwrap_or_default();
        ensure!(status == b"200", "{path}: {}", String::from_utf8_lossy(&content));
        Ok(content)
    }

    /// An answer that is JSON.
    pub fn json(&self, path: &str) -> Result<Value> {
        Ok(serde_json::from_slice(&self.get(path)?)?)
    }

    /// Waits until the index is there. Returns the most memory that was seen meanwhile, without
    /// that of mapped files, in bytes.
    pub fn wait(&self) -> Result<u64> {
        let mut peak_bytes = 0;
        loop {
            peak_bytes = peak_bytes.max(self.own_bytes()?);
            let progress = self.json("api/progress")?;
            if progress["ready"] == true {
                return Ok(peak_bytes);
            }
            if let Some(error) = progress["error"].as_str() {
                bail!("no index: {error}");
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Seconds of CPU time so far.
    pub fn cpu_s(&self) -> Result<f64> {
        let text = self.proc("stat")?;
        // After the name, which may have spaces.
        let (_, rest) = text.rsplit_once(") ").context("stat")?;
        let ticks = rest.split(' ').skip(11).take(2).map(str::parse::<f64>);
        let ticks: f64 = ticks.collect::<Result<Vec<_>, _>>()?.iter().sum();
        let per_second = sysconf(SysconfVar::CLK_TCK)?.unwrap_or(100);
        Ok(ticks / per_second as f64)
    }

    /// Its memory now, without that of mapped files, in bytes.
    fn own_bytes(&self) -> Result<u64> {
        let status = self.proc("status")?;
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")).context("RssAnon")?;
        Ok(kilobytes.parse::<u64>()? * 1024)
    }

    fn proc(&self, name: &str) -> Result<String> {
        let path = PathBuf::from("/proc").join(self.child.id().to_string()).join(name);
        fs::read_to_string(&path).with_context(|| path.display().to_string())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = kill(Pid::from_raw(self.child.id().cast_signed()), Signal::SIGINT);
        let _ = self.child.wait();
    }
}
