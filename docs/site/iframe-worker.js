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
      let indexed;
      this.indexed = new Promise((resolve) => { indexed = resolve; });
      this.frame.answer = (data) => {
        if (data.type === 1) indexed();
        setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data })));
      };
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

    // A query (type 2) waits for the index. Its signs of lunr at the end of a word, while one types, would be an error.
    postMessage(data) {
      if (data.type === 2) data = { ...data, data: data.data.replace(/[-+~^:]+(?=\s|$)/g, "") };
      const before = data.type === 2 ? this.indexed : this.ready;
      before.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
