import CLibPQ
import Dispatch
import Foundation
import Synchronization

/// A PostgreSQL server of this process. It is started when a test first needs it, can be reached only through a socket in its own
/// directory, and is removed when the process ends in any way.
package final class ThrowawayPostgreSQL: Sendable {
    /// The server could not be started, or refused a command.
    package struct Failed: Error, CustomStringConvertible {
        package let description: String
    }

    /// The commands of the server's shell, one per line.
    private enum Command: String {
        case start, stop, crash, standby, pool, freeze, thaw, tls
    }

    /// How long a pooler gives a client the same session of the server.
    package enum PoolMode: String, Sendable {
        case session, transaction
    }

    private let commands = Pipe()
    private let shell: ChildProcess
    private let answers: FileHandle
    private let directory: String
    // Calls to the shell block, and only one command may run at a time.
    private let queue = DispatchQueue(label: "throwaway-postgresql")
    private let databases = Atomic(0)

    private static let common = Mutex<Result<ThrowawayPostgreSQL, any Error>?>(nil)

    /// The server that the tests of this process share. They must not stop it. Its files are not flushed to disk.
    package static func shared() async throws -> ThrowawayPostgreSQL {
        try await onThread {
            try common.withLock { server in
                let made = server ?? Result { try ThrowawayPostgreSQL(isDurable: false) }
                server = made
                return try made.get()
            }
        }
    }

    /// A server for one test, which may stop it.
    package static func own() async throws -> ThrowawayPostgreSQL {
        try await onThread { try ThrowawayPostgreSQL(isDurable: true) }
    }

    private init(isDurable: Bool) throws {
        var arguments = ["sh", "-c", Self.script, "sh", isDurable ? "on" : "off"]
        // initdb refuses root. Debian's package creates this user.
        if geteuid() == 0 {
            arguments = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--reset-env"] + arguments
        }
        let output = Pipe()
        answers = output.fileHandleForReading
        shell = try ChildProcess(
            "/usr/bin/env",
            arguments,
            streams: [.input(commands), .output(output), .inherited(STDERR_FILENO)]
        )
        let greeting = Self.line(from: answers)
        guard greeting.hasPrefix("ready ") else { throw Failed(description: "no PostgreSQL: \(greeting)") }
        directory = String(greeting.dropFirst("ready ".count))
    }

    deinit {
        try? commands.fileHandleForWriting.close()
        // The shell is killed with this object. Before that, it must have stopped its servers.
        _ = try? answers.readToEnd()
    }

    /// The shell starts and stops the server as its input commands. The end of its input ends everything, which happens when the
    /// test process ends at the latest.
    private static let script = """
        trap '' INT TERM
        bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
        [ -n "$bin" ] || bin=$(dirname "$(command -v initdb)")
        dir=$(mktemp -d /tmp/postern-pg.XXXXXX) || exit 1
        if ! "$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$dir/log" 2>&1; then
            tr '\\n' ' ' <"$dir/log"; rm -rf "$dir"; exit 1
        fi
        listening="-c listen_addresses="
        start() {
            "$bin/postgres" -D "$dir/data" -k "$dir" $listening -c max_connections=1000 -c fsync="$1" \
                -c full_page_writes="$1" >>"$dir/log" 2>&1 </dev/null &
            server=$!
            until "$bin/pg_isready" -q -h "$dir"; do
                kill -0 $server 2>/dev/null || { tr '\\n' ' ' <"$dir/log"; rm -rf "$dir"; exit 1; }
                sleep 0.05
            done
        }
        standby() {
            "$bin/pg_basebackup" -h "$dir" -U postgres -D "$dir/standby" -R -c fast --no-sync >>"$dir/log" 2>&1 && mkdir "$dir/s"
            "$bin/postgres" -D "$dir/standby" -k "$dir/s" -c listen_addresses= -c max_connections=1000 >>"$dir/log" 2>&1 \
                </dev/null &
            follower=$!
            until "$bin/pg_isready" -q -h "$dir/s"; do
                kill -0 $follower 2>/dev/null || return 1
                sleep 0.05
            done
        }
        pool() {
            mkdir "$dir/$1"
            printf '%s\n' '[databases]' "* = host=$dir user=postgres" '[pgbouncer]' 'listen_addr =' 'listen_port = 5432' \
                "unix_socket_dir = $dir/$1" 'auth_type = any' "pool_mode = $1" 'default_pool_size = 8' >"$dir/$1.ini"
            PATH="$PATH:/usr/sbin" pgbouncer -q "$dir/$1.ini" >>"$dir/log" 2>&1 </dev/null &
            poolers="$poolers $!"
            until "$bin/pg_isready" -q -h "$dir/$1"; do
                kill -0 $! 2>/dev/null || return 1
                sleep 0.05
            done
        }
        # Every process of the server: it is there and does nothing, as on a host that hangs.
        signal() {
            kill -"$1" $server $(cat /proc/$server/task/$server/children)
        }
        issue() {
            openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$2" -addext "subjectAltName=DNS:$2" \
                -keyout "$1.key" -out "$1.csr" && openssl ca -batch -notext -config ca.cnf -cert "${3:-ca}.crt" -keyfile "${3:-ca}.key" \
                -startdate "${4:-20200101000000Z}" -enddate "${5:-20490101000000Z}" -in "$1.csr" -out "$1.crt"
        }
        certificates() {
            cd "$dir/tls" && touch index && echo 01 >serial || return 1
            printf '%s\n' '[ca]' 'default_ca = d' '[d]' "database = $PWD/index" "serial = $PWD/serial" "new_certs_dir = $PWD" \
                'default_md = sha256' 'default_crl_days = 3650' 'policy = p' 'unique_subject = no' 'copy_extensions = copy' \
                '[p]' 'commonName = supplied' >ca.cnf
            for authority in ca other; do
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj "/CN=$authority" \
                    -keyout $authority.key -out $authority.crt || return 1
            done
            issue valid db.example.test && issue revoked db.example.test && issue client certified && issue stranger certified other \
                && issue namesake scram && issue expired db.example.test ca 20200101000000Z 20210101000000Z \
                && openssl ca -config ca.cnf -cert ca.crt -keyfile ca.key -revoke revoked.crt \
                && openssl ca -config ca.cnf -cert ca.crt -keyfile ca.key -gencrl -out crl.pem || return 1
            printf '%s\n' 'local all all trust' 'hostssl all certified all cert' 'hostssl all all all scram-sha-256' \
                >"$dir/data/pg_hba.conf"
            # All of 127.0.0.0/8 is this machine. An address of its own spares the server a search for a free port.
            echo "127.$(($$ / 65536 % 200 + 20)).$(($$ / 256 % 256)).$(($$ % 254 + 1))" >address
        }
        tls() {
            [ -d "$dir/tls" ] || { mkdir "$dir/tls"; (certificates) >>"$dir/log" 2>&1 || return 1; }
            tls=$dir/tls
            listening="-c listen_addresses=$(cat "$tls/address") -c ssl=on -c ssl_ca_file=$tls/ca.crt"
            listening="$listening -c ssl_cert_file=$tls/$1.crt -c ssl_key_file=$tls/$1.key"
        }
        poolers=
        start "$1"
        echo "ready $dir"
        while read -r command argument; do
            case $command in
                standby) standby || { echo "no standby"; continue; } ;;
                pool) pool "$argument" || { echo "no pooler"; continue; } ;;
                start) start "$1" ;;
                stop) kill -INT $server; wait $server ;;
                freeze) signal STOP ;;
                thaw) signal CONT ;;
                tls) tls "$argument" || { echo "no certificates"; continue; }; kill -INT $server; wait $server; start "$1" ;;
                crash) kill -QUIT $server; wait $server ;;
            esac
            echo done
        done
        signal CONT 2>/dev/null
        kill -QUIT $server $follower 2>/dev/null; kill -TERM $poolers 2>/dev/null; wait $server $follower $poolers
        rm -rf "$dir"
        """

    /// Runs a body with a fresh database, which is dropped afterwards.
    ///
    /// - Parameters:
    ///   - template: The database that it is a copy of, to which nobody may be connected; empty unless there is one.
    ///   - body: Gets the database's connection URI.
    package func withDatabase<T>(
        copying template: String? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (String) async throws -> T
    ) async throws -> T {
        let name = "test\(databases.add(1, ordering: .relaxed).newValue)"
        try await execute("CREATE DATABASE \(name)" + (template.map { " TEMPLATE \($0)" } ?? ""))
        let outcome: Result<T, any Error>
        do { outcome = .success(try await body(uri(name))) } catch { outcome = .failure(error) }
        try await execute("DROP DATABASE \(name) WITH (FORCE)")
        return try outcome.get()
    }

    /// A fresh database, or a copy of a template, that is dropped with the test.
    package func makeDatabase(copying template: String? = nil) async throws -> String {
        try await Teardown.hold { [self] in try await withDatabase(copying: template, $0) }
    }

    /// The connection URI of a database.
    package func uri(_ database: String = "postgres") -> String { "postgresql://postgres@/\(database)?host=\(directory)" }

    /// The processor time that the server's processes have used so far.
    package var processorTime: Duration {
        let file = try? String(contentsOfFile: directory + "/data/postmaster.pid", encoding: .utf8)
        guard let first = file?.split(separator: "\n").first.map(String.init) else { return .zero }
        let children = (try? String(contentsOfFile: "/proc/\(first)/task/\(first)/children", encoding: .utf8)) ?? ""
        // `utime` and `stime` are the fields 14 and 15, those of ended children 16 and 17 (proc(5)).
        func ticks(of process: String, fields: Range<Int>) -> Int {
            let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
            let values = stat.split(separator: ")").last?.split(separator: " ") ?? []
            return values.count >= fields.upperBound ? values[fields].reduce(0) { $0 + (Int($1) ?? 0) } : 0
        }
        let total = children.split(separator: " ").reduce(ticks(of: first, fields: 11..<15)) {
            $0 + ticks(of: String($1), fields: 11..<13)
        }
        return .milliseconds(total * 1000 / max(sysconf(Int32(_SC_CLK_TCK)), 1))
    }

    /// Stops the server as an operator does. Open transactions are rolled back.
    package func stop() async throws { try await send(.stop) }

    /// Kills the server, without a checkpoint. Its next start recovers from the log.
    package func crash() async throws { try await send(.crash) }

    /// Starts the server again, and waits until it answers.
    package func start() async throws { try await send(.start) }

    /// Starts a server that follows this one, until it is promoted.
    ///
    /// - Returns: The connection URI of a database on it.
    package func startStandby(_ database: String = "postgres") async throws -> String {
        try await send(.standby)
        return "postgresql://postgres@/\(database)?host=\(directory)/s"
    }

    /// Whether ``startPooler(_:_:)`` works on this machine.
    package static var hasPooler: Bool {
        ["/usr/sbin", "/usr/bin", "/usr/local/bin"].contains { FileManager.default.isExecutableFile(atPath: $0 + "/pgbouncer") }
    }

    /// Starts pgbouncer in front of this server.
    ///
    /// - Returns: The connection URI of a database behind it.
    package func startPooler(_ mode: PoolMode, _ database: String = "postgres") async throws -> String {
        try await send(.pool, mode.rawValue)
        return "postgresql://postgres@/\(database)?host=\(directory)/\(mode.rawValue)"
    }

    /// Stops every process of the server without ending it, as on a host whose disk hangs: connections stay open, and nothing answers.
    package func freeze() async throws { try await send(.freeze) }

    /// Lets a frozen server go on.
    package func thaw() async throws { try await send(.thaw) }

    /// Where a server listens with TLS, and the files of its authority: `ca.crt`, `crl.pem`, and the pairs `client` (for the role
    /// `certified`), `namesake` (for the role `scram`) and `stranger` (for `certified`, by the authority of `other.crt`).
    package struct TLSPlace: Sendable {
        package let address: String
        package let directory: String
    }

    /// The certificates that a server may have, all for the name `db.example.test`.
    package enum ServerCertificate: String, Sendable {
        case valid, expired, revoked
    }

    /// Restarts the server with TLS. The role `certified` needs a client certificate, every other one a password.
    package func listen(with certificate: ServerCertificate) async throws -> TLSPlace {
        try await send(.tls, certificate.rawValue)
        let place = directory + "/tls"
        let address = try String(contentsOfFile: place + "/address", encoding: .utf8)
        return TLSPlace(address: address.trimmingCharacters(in: .whitespacesAndNewlines), directory: place)
    }

    /// Runs a statement outside any transaction.
    package func execute(_ statement: String, in database: String = "postgres") async throws {
        let uri = uri(database)
        try await Self.onThread(queue) {
            let connection = PQconnectdb(uri)
            defer { PQfinish(connection) }
            let result = PQexec(connection, statement)
            defer { PQclear(result) }
            guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
                throw Failed(description: String(cString: PQerrorMessage(connection)))
            }
        }
    }

    private func send(_ command: Command, _ argument: String = "") async throws {
        try await Self.onThread(queue) { [commands, answers] in
            try commands.fileHandleForWriting.write(contentsOf: Data("\(command.rawValue) \(argument)\n".utf8))
            let answer = Self.line(from: answers)
            guard answer == "done" else { throw Failed(description: "PostgreSQL did not \(command.rawValue): \(answer)") }
        }
    }

    private static func line(from handle: FileHandle) -> String {
        var line: [UInt8] = []
        while let byte = try? handle.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }

    /// Runs blocking work off Swift's cooperative threads.
    private static func onThread<T: Sendable>(
        _ queue: DispatchQueue = DispatchQueue(label: "throwaway-postgresql.start"),
        _ work: @escaping @Sendable () throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: work)) }
        }
    }
}
