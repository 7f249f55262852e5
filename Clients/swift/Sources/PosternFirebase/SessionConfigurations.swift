#if canImport(ObjectiveC)
    import Foundation
    import ObjectiveC

    /// Puts the URLProtocol into the configurations that the SDK makes its sessions of: it offers no way to hand it one.
    enum SessionConfigurations {
        /// Replaces the getters `default` and `ephemeral`, once in a process.
        static let injectOnce: Void = {
            inject("defaultSessionConfiguration")
            inject("ephemeralSessionConfiguration")
        }()

        private static func inject(_ getter: String) {
            let selector = NSSelectorFromString(getter)
            guard let method = class_getClassMethod(URLSessionConfiguration.self, selector) else { return }
            typealias Getter = @convention(c) (AnyObject, Selector) -> URLSessionConfiguration
            let original = unsafeBitCast(method_getImplementation(method), to: Getter.self)
            let replacement: @convention(block) (AnyObject) -> URLSessionConfiguration = { receiver in
                PosternFirebase.configure(original(receiver, selector))
            }
            method_setImplementation(method, imp_implementationWithBlock(unsafeBitCast(replacement, to: AnyObject.self)))
        }
    }
#endif
