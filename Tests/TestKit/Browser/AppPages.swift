import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

/// An app's web pages on loopback, with stand-ins for the JS SDK and for Google's script `api.js`, which cannot be had offline.
package struct AppPages: Sendable {
    /// `http://localhost:PORT`
    package let origin: String

    /// What ``gapiScript`` is served for.
    package var gapiScript: String { origin + "/gapi.js" }

    /// Serves the pages while `body` runs.
    package static func running<T>(_ body: (AppPages) async throws -> T) async throws -> T {
        let (ports, announced) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            responder: CallbackResponder<BasicRequestContext> { request, _ in
                let isScript = request.uri.path == "/gapi.js"
                let headers: HTTPFields = [
                    .contentType: isScript ? "text/javascript; charset=utf-8" : "text/html; charset=utf-8"
                ]
                return Response(
                    status: .ok,
                    headers: headers,
                    body: .init(byteBuffer: ByteBuffer(string: isScript ? gapi : page))
                )
            },
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { announced.yield($0.localAddress?.port ?? 0) },
            logger: Logger(label: "app") { _ in SwiftLogNoOpLogHandler() }
        )
        let group = ServiceGroup(configuration: .init(services: [application], logger: Logger(label: "app")))
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { announced.finish() }
                try await group.run()
            }
            var iterator = ports.makeAsyncIterator()
            let port = await iterator.next() ?? 0
            let outcome: Result<T, any Error>
            do { outcome = .success(try await body(AppPages(origin: "http://localhost:\(port)"))) } catch {
                outcome = .failure(error)
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return try outcome.get()
        }
    }

    /// The address of a page that listens to a frame.
    package func page(frame: String) -> String { origin + "/?" + TestClient.encode([("frame", frame)]) }

    private static let page = """
        <!DOCTYPE html><title>App</title><script src="/gapi.js"></script><body><script>
        const events = [], waiting = [];
        function nextEvent() {
          return events.length ? Promise.resolve(events.shift()) : new Promise(done => waiting.push(done));
        }
        function storageSupport() {
          return new Promise(done => frame.send('webStorageSupport', {type: 'webStorageSupport'}, done,
            gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER)).then(answers => answers[0]);
        }
        let frame;
        gapi.load('gapi.iframes', () => gapi.iframes.getContext().open({
          where: document.body, url: new URLSearchParams(location.search).get('frame'),
          messageHandlersFilter: gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER
        }, opened => {
          frame = opened;
          frame.register('authEvent', message => {
            if (waiting.length) waiting.shift()(message.authEvent); else events.push(message.authEvent);
            return {status: 'ACK'};
          }, gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER);
        }));
        </script>
        """

    private static let gapi = """
        window.gapi = (function () {
          let number = 0;
          const waiting = {};
          function channel(peer) {
            const handlers = {};
            window.addEventListener('message', event => {
              const message = event.data;
              if (event.source !== peer || !message || !message.gapi) return;
              if (message.reply) { waiting[message.id]([message.value]); return; }
              const handler = handlers[message.name];
              if (handler) peer.postMessage({gapi: 1, reply: 1, id: message.id, value: handler(message.body)}, '*');
            });
            return {
              register: (name, handler) => { handlers[name] = handler; },
              send: (name, body, done) => {
                waiting[++number] = done || (() => {});
                peer.postMessage({gapi: 1, id: number, name: name, body: body}, '*');
              }
            };
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
