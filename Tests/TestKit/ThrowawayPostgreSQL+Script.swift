extension ThrowawayPostgreSQL {
    /// The shell starts and stops the server as its input commands. The end of its input ends everything, which happens when the
    /// test process ends at the latest.
    static let script = """
        trap '' INT TERM
        bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
        [ -n "$bin" ] || bin=$(dirname "$(command -v initdb)")
        dir=$(mktemp -d /tmp/postern-pg.XXXXXX) || exit 1
        cluster() {
            if [ -n "$2" ]; then cp -a "$2" "$dir/data"; return; fi
            "$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync || return 1
            [ "$1" = on ] || cp -a "$dir/data" "$dir/cluster"
        }
        cluster "$1" "$2" >"$dir/log" 2>&1 || { tr '\\n' ' ' <"$dir/log"; rm -rf "$dir"; exit 1; }
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
}
