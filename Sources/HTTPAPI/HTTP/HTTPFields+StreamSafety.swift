package import HTTPTypes
import Project

extension HTTPFields {
    /// Whether all values are permitted text by `StreamSafety`. Takes linear time.
    package var isStreamSafe: Bool { allSatisfy { StreamSafety.holds(for: $0.value) } }
}
