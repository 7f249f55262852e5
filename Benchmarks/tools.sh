#!/usr/bin/env bash
# Installs the load generator, and the database that is compared with SQLite.
exec "$(dirname "$0")/../.ci/tools" wrk postgresql
