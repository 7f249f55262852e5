import HTTPTypes

/// Why a page is not shown, where no rule of the API says it.
enum PageError: Error {
    /// A page of another origin sent the form (threat case WEB-02).
    case foreignForm
    /// The link lacks what it must name, or names what there is not.
    case incompleteLink
    /// A sign-in link that says of no app where to go on.
    case onlyForApps
    /// The body is no form.
    case notAForm

    var status: HTTPResponse.Status {
        switch self {
        case .foreignForm: .forbidden
        case .incompleteLink, .onlyForApps: .badRequest
        case .notAForm: .unsupportedMediaType
        }
    }
}
