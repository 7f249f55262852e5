#!/usr/bin/env bash
# Installs the load generator.
exec "$(dirname "$0")/../.ci/tools" wrk
