extension Transaction {
    /// Forgets what users had begun when a backup was made: one-time codes, flows at providers, and messages that wait. They may
    /// have been used and sent since. Forgets, too, when the store was last seen, which the backup's age would make look like a jump.
    package func forgetWhatWasBegun() throws {
        let tables = [
            "oob_codes", "sms_codes", "authorization_flows", "answered_flows", "email_outbox", "sms_outbox", "webhook_outbox",
            "store_clock",
        ]
        for table in tables {
            try execute("DELETE FROM \(raw: table)")
        }
    }
}
