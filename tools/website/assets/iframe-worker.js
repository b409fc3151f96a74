// Browsers refuse workers to pages that come from the disk. There a hidden frame does the work of the one that searches.
if (location.protocol === 'file:') {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement('iframe')
      frame.hidden = true
      document.body.append(frame)
      const inside = frame.contentWindow
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent('message', { data }))
      const script = frame.contentDocument.createElement('script')
      script.src = url
      const ready = new Promise((resolve) => script.addEventListener('load', resolve))
      frame.contentDocument.body.append(script)
      this.postMessage = (data) =>
        ready.then(() => inside.dispatchEvent(new MessageEvent('message', { data })))
    }
  }
}
