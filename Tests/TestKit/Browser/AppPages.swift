import Foundation

/// An app's web page on loopback, with substitutes for the JS SDK and for Google's script `api.js`, which are not available
/// offline.
package struct AppPages: Sendable {
    /// `http://localhost:PORT`.
    package let origin: String

    /// The address of the substitute for ``gapi``.
    package var gapiScript: String { origin + "/gapi.js" }

    /// Serves the page until the test ends.
    package static func start() async throws -> AppPages {
        let service = try await LoopbackService.start()
        service.reply { call in
            let (type, text) = call.path == "/gapi.js" ? ("text/javascript", gapi) : ("text/html", page)
            return .init(headers: [("Content-Type", type + "; charset=utf-8")], body: Array(text.utf8))
        }
        return AppPages(origin: service.origin.replacing("127.0.0.1", with: "localhost"))
    }

    /// The address of a page that listens to a frame.
    package func page(frame: String) -> String { origin + "/?" + TestClient.encode([("frame", frame)]) }

    // Listens as the SDK does, which starts only after the frame has answered a ping.
    private static let page = """
        <!DOCTYPE html><html lang="en"><title>App</title><script src="/gapi.js"></script><body><script>
        const events = [], waiting = [];
        function nextEvent() {
          return events.length ? Promise.resolve(events.shift()) : new Promise(done => waiting.push(done));
        }
        function storageSupport() {
          return new Promise(done => frame.send('webStorageSupport', {type: 'webStorageSupport'}, done,
            gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER)).then(answers => answers[0]);
        }
        let frame;
        const seen = new Set();
        gapi.load('gapi.iframes', () => gapi.iframes.getContext().open({
          where: document.body, url: new URLSearchParams(location.search).get('frame'),
          messageHandlersFilter: gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER
        }, opened => opened.ping(() => setTimeout(() => {
          frame = opened;
          frame.register('authEvent', message => {
            const text = JSON.stringify(message.authEvent);
            if (seen.has(text)) return {status: 'ERROR'};
            seen.add(text);
            if (waiting.length) waiting.shift()(message.authEvent); else events.push(message.authEvent);
            return {status: 'ACK'};
          }, gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER);
        }, 100))));
        </script>
        """

    private static let gapi = """
        window.gapi = (function () {
          let number = 0;
          const waiting = {};
          function channel(peer) {
            const handlers = {ping: () => true};
            window.addEventListener('message', event => {
              const message = event.data;
              if (event.source !== peer || !message || !message.gapi) return;
              if (message.reply) { waiting[message.id]([message.value]); return; }
              const handler = handlers[message.name];
              if (handler) peer.postMessage({gapi: 1, reply: 1, id: message.id, value: handler(message.body)}, '*');
            });
            const own = {
              register: (name, handler) => { handlers[name] = handler; },
              send: (name, body, done) => {
                waiting[++number] = done || (() => {});
                peer.postMessage({gapi: 1, id: number, name: name, body: body}, '*');
              },
              ping: done => {
                const timer = setInterval(() => own.send('ping', null, () => {
                  clearInterval(timer);
                  if (done) { done(); done = null; }
                }), 20);
              }
            };
            return own;
          }
          return {
            load: (name, options) => setTimeout(typeof options === 'function' ? options : options.callback, 0),
            iframes: {
              CROSS_ORIGIN_IFRAMES_FILTER: {},
              getContext: () => ({
                getParentIframe: () => channel(window.parent),
                open: (options, done) => {
                  const frame = document.createElement('iframe');
                  frame.src = options.url;
                  options.where.appendChild(frame);
                  done(channel(frame.contentWindow));
                }
              })
            }
          };
        })();
        """
}
