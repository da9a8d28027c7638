/* Pages from the disk may not start workers. This class looks like a worker and runs the script in a hidden frame. */
if (location.protocol === "file:") {
  const importInFrame = (...urls) =>
    urls.reduce((before, url) => before.then(() => new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.onload = resolve;
      script.onerror = reject;
      script.src = url;
      document.body.appendChild(script);
    })), Promise.resolve());

  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.title = "search";
      document.body.appendChild(this.frame);
      const inside = this.frame.contentDocument;
      this.frame.answer = (data) => setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data })));
      inside.open();
      inside.write(
        `<!doctype html><title>search</title><body><script>
         var importScripts = ${importInFrame};
         var postMessage = (data) => frameElement.answer(data);
         <\/script><script src="${url}"><\/script></body>`
      );
      inside.close();
      // after open(), which takes listeners away
      this.ready = new Promise((resolve) => { this.frame.contentWindow.onload = resolve; });
    }

    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
