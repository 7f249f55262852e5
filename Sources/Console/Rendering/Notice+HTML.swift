extension Notice {
    static let template = """
        <div class="notice {{.kind}}" role="{{.role}}">
        <p><strong>{{.name}}:</strong> <bdi>{{.text}}</bdi></p>
        {{#.hasItems}}
        <ul>
        {{#.items}}
        <li>{{.}}</li>
        {{/.items}}
        </ul>
        {{/.hasItems}}
        </div>

        """

    func values(_ rendering: Rendering) -> Values {
        [
            "kind": kind.rawValue, "role": kind == .error ? "alert" : "status", "text": text, "items": items,
            "name": rendering.texts["notice.\(kind.rawValue)"], "hasItems": !items.isEmpty,
        ]
    }
}
