// Browsers run no workers on pages that are opened from disk: there, search runs in a hidden frame instead.
// The theme knows such a shim by this file's name, and then loads none from elsewhere.
if (location.protocol === "file:") {
  const post = (to, data) => to.dispatchEvent(new MessageEvent("message", { data }));

  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      this.inside = this.frame.contentWindow;
      this.inside.postMessage = (data) => post(this, data);
      this.inside.importScripts = (...urls) => Promise.all(urls.map((each) => this.load(each)));
      this.load(url).then(() => {
        this.ready = true;
        this.waiting.forEach((data) => post(this.inside, data));
      });
    }

    load(url) {
      return new Promise((done, failed) => {
        const script = this.inside.document.createElement("script");
        Object.assign(script, { src: String(url), async: false, onload: done, onerror: failed });
        this.inside.document.body.append(script);
      });
    }

    postMessage(data) {
      if (this.ready) post(this.inside, data);
      else this.waiting.push(data);
    }

    terminate() {
      this.frame.remove();
    }
  };
}
