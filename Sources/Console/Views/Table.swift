struct Table: Sendable {
    let caption: String
    /// The headings; a column of buttons may have an empty one.
    let columns: [String]
    /// As many cells a row as there are columns.
    var rows: [[Cell]]
    /// What stands in place of the rows when there are none.
    let emptyText: String
    var selection: Selection?
    /// The next page of rows.
    var next: Link?
    /// Whether the first cell of a row is its heading.
    var rowLabels = true
    /// Where scripts get further rows from as they come.
    var live: Live?

    /// A stream of rows, and what is said of it.
    struct Live: Sendable {
        /// The path of the stream, as in ``Link/path``.
        let path: String
        let running: String
        let ended: String
        /// The buttons that stop new rows and let them come again.
        let pause: String
        let resume: String
    }

    /// A checkbox in each row, and what can be done with the rows that are checked.
    struct Selection: Sendable {
        /// As ``Form/action``; the form is posted.
        let action: String
        /// The name of the checkboxes.
        let name: String
        /// The value of each row's checkbox, in the order of the rows.
        let values: [String]
        /// The name of each row for those who hear the page; it may come from users.
        let labels: [String]
        let buttons: [Button]
        var hidden: [(name: String, value: String)] = []
    }
}
