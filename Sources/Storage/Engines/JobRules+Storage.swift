import Project

extension JobRules {
    /// The rules of transactions that wait for a connection. Too many and too late ones are refused as `busy`.
    static func storage(waiting: Int, patience: Duration? = nil) -> JobRules {
        let (full, closed) = (StorageError.busy, StorageError.closed)
        return JobRules(waiting: waiting, patience: patience, full: full, closed: closed, servesCancelled: true)
    }
}
