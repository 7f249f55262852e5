import HTTPAPI

extension Notice {
    func html(_ texts: ConsoleTexts) -> HTML {
        HTML("div", ["class": "notice \(kind.rawValue)", "role": kind == .error ? "alert" : "status"]) {
            HTML("p") {
                HTML("strong", texts["notice.\(kind.rawValue)"] + ":")
                " "
                HTML("bdi", text)
            }
            if !items.isEmpty {
                HTML("ul") { items.map { HTML("li", $0) } }
            }
        }
    }
}
