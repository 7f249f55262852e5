import HTTPTypes

/// The errors of pages that are not errors of the API.
enum PageError: Error {
    /// A page of another origin sent the form (threat case WEB-02).
    case foreignForm
    /// The link lacks a required part, or a part is invalid.
    case incompleteLink
    /// The sign-in link has no permitted address to go on to.
    case onlyForApps
    /// The body is not a form.
    case notAForm

    var status: HTTPResponse.Status {
        switch self {
        case .foreignForm: .forbidden
        case .incompleteLink, .onlyForApps: .badRequest
        case .notAForm: .unsupportedMediaType
        }
    }
}
