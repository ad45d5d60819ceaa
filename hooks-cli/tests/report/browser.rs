//! Chromium without a window, driven through its DevTools protocol over a pipe.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use tempfile::TempDir;

const PROGRAM: &str = "chromium";
/// Nothing but the page: no window, no network, nothing kept.
const FLAGS: [&str; 12] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--font-render-hinting=none",
    "--remote-debugging-pipe",
];

/// Size and colours in which a page is shown.
#[derive(Clone, Copy)]
pub(crate) struct View {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) is_dark: bool,
}

impl View {
    pub(crate) const WIDE: Self = Self { width: 1200, height: 900, is_dark: false };
    pub(crate) const NARROW: Self = Self { width: 400, height: 800, is_dark: false };

    pub(crate) const fn dark(self) -> Self {
        Self { is_dark: true, ..self }
    }
}

/// A running browser with one page.
pub(crate) struct Browser {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    session: Option<String>,
    sent: u64,
    events: Vec<Value>,
    _profile: TempDir,
}

impl Browser {
    /// Starts the browser. Returns `None` and prints a message if none is installed.
    #[expect(clippy::disallowed_methods, reason = "the test starts a browser")]
    pub(crate) fn start() -> Option<Self> {
        let mut version = Command::new(PROGRAM);
        if version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
            // Written directly, because the test harness would capture it: the message has to be seen.
            let mut errors = std::io::stderr();
            writeln!(errors, "SKIPPED: no chromium here; install Debian's package").unwrap();
            return None;
        }
        let profile = tempfile::tempdir().unwrap();
        // The browser reads requests from descriptor 3, and answers on 4.
        let mut shell = Command::new("sh");
        shell.args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", "sh", PROGRAM]).args(FLAGS);
        shell.arg(format!("--user-data-dir={}", profile.path().display())).arg("about:blank");
        let mut process = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (requests, answers) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let answers = BufReader::new(answers);
        let (session, sent, events) = (None, 0, Vec::new());
        let mut browser = Self { process, requests, answers, session, sent, events, _profile: profile };
        let target = browser.call("Target.createTarget", &json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let attached = browser.call("Target.attachToTarget", &attach);
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        Some(browser)
    }

    /// Calls a method of the protocol, and returns its result. Events that arrive before it are kept.
    pub(crate) fn call(&mut self, method: &str, params: &Value) -> Value {
        self.sent += 1;
        let mut request = json!({"id": self.sent, "method": method, "params": params});
        if let Some(session) = &self.session {
            request["sessionId"] = json!(session);
        }
        self.requests.write_all(format!("{request}\0").as_bytes()).unwrap();
        loop {
            let message = self.message();
            if message["id"] == self.sent {
                assert_eq!(message.get("error"), None, "{method}");
                return message["result"].clone();
            }
            self.events.push(message);
        }
    }

    fn message(&mut self) -> Value {
        let mut bytes = Vec::new();
        self.answers.read_until(0, &mut bytes).unwrap();
        assert_eq!(bytes.pop(), Some(0), "the browser ended");
        serde_json::from_slice(&bytes).unwrap()
    }

    fn wait_for(&mut self, event: &str) {
        while !self.events.iter().any(|message| message["method"] == event) {
            let message = self.message();
            self.events.push(message);
        }
    }

    /// Opens a file, as large and in the colours of the view.
    pub(crate) fn open(&mut self, file: &Path, view: View) {
        self.show(view);
        self.events.clear();
        self.call("Page.navigate", &json!({"url": format!("file://{}", file.display())}));
        self.wait_for("Page.loadEventFired");
        self.settle();
    }

    /// Changes the view of the open page.
    pub(crate) fn show(&mut self, view: View) {
        let View { width, height, is_dark } = view;
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", &size);
        let scheme = if is_dark { "dark" } else { "light" };
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call("Emulation.setEmulatedMedia", &json!({"features": features}));
        self.settle();
    }

    /// Waits until the page is drawn.
    fn settle(&mut self) {
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))");
    }

    /// The value of an expression in the page.
    pub(crate) fn run(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let result = self.call("Runtime.evaluate", &params);
        assert_eq!(result.get("exceptionDetails"), None, "{expression}");
        result["result"]["value"].clone()
    }

    /// The text of the elements that a selector finds and that are shown.
    pub(crate) fn texts(&mut self, selector: &str) -> Vec<String> {
        let all = format!("[...document.querySelectorAll({})]", json!(selector));
        let shown = format!("{all}.filter((one) => one.checkVisibility()).map((one) => one.innerText)");
        serde_json::from_value(self.run(&shown)).unwrap()
    }

    /// Presses a key.
    pub(crate) fn press(&mut self, key: &str, code: u32) {
        for kind in ["rawKeyDown", "keyUp"] {
            let params = json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code});
            self.call("Input.dispatchKeyEvent", &params);
        }
        self.settle();
    }

    /// Types a text into the field that has the focus.
    pub(crate) fn write(&mut self, text: &str) {
        self.call("Input.insertText", &json!({"text": text}));
        self.settle();
    }

    /// Clicks on the middle of the first element that a selector finds.
    pub(crate) fn click(&mut self, selector: &str) {
        let find = format!(
            "(() => {{ const one = document.querySelector({}); one.scrollIntoView({{ block: 'center' }});
            const box = one.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2] }})()",
            json!(selector)
        );
        let middle = self.run(&find);
        for kind in ["mousePressed", "mouseReleased"] {
            let (x, y) = (&middle[0], &middle[1]);
            let params = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", &params);
        }
        self.settle();
    }

    /// Errors, messages of the console, and requests other than for the page, since it was opened.
    pub(crate) fn problems(&mut self) -> Vec<Value> {
        self.settle();
        let is_problem = |message: &&Value| match message["method"].as_str() {
            Some("Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded") => true,
            Some("Network.requestWillBeSent") => message["params"]["type"] != "Document",
            _ => false,
        };
        self.events.iter().filter(is_problem).cloned().collect()
    }

    /// Writes a picture of the page from the first element that a selector finds, at most `height` pixels of it.
    pub(crate) fn picture(&mut self, file: &Path, selector: &str, height: u32) {
        let top =
            format!("document.querySelector({}).getBoundingClientRect().top + scrollY", json!(selector));
        let (top, size) = (
            self.run(&top),
            self.run("[document.documentElement.clientWidth, document.documentElement.scrollHeight]"),
        );
        let rest = size[1].as_f64().unwrap() - top.as_f64().unwrap();
        let clip =
            json!({"x": 0, "y": top, "width": size[0], "height": rest.min(f64::from(height)), "scale": 1});
        let params = json!({"format": "png", "clip": clip, "captureBeyondViewport": true});
        let picture = self.call("Page.captureScreenshot", &params);
        fs::write(file, BASE64_STANDARD.decode(picture["data"].as_str().unwrap()).unwrap()).unwrap();
    }

    /// The page as it is printed, a PDF.
    pub(crate) fn print(&mut self) -> Vec<u8> {
        let printed = self.call("Page.printToPDF", &json!({"printBackground": false}));
        BASE64_STANDARD.decode(printed["data"].as_str().unwrap()).unwrap()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It ends its other processes when it is asked to; a kill alone would leave them for a moment.
        drop(self.requests.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0"));
        if std::thread::panicking() {
            drop(self.process.kill());
        }
        drop(self.process.wait());
    }
}
