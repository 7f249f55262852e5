# Builds a release with the Swift runtime inside, so that the image needs only a few of Debian's own libraries.
FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        libargon2-dev libcrypt-dev libcurl4-openssl-dev libpq-dev libsqlite3-dev libssl-dev libxml2-dev libxmlsec1-dev \
        make pkg-config python3 zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY Package.swift Makefile ./
COPY Sources Sources
# The console shows the SDKs' steps from their pages.
COPY Docs/SDKs Docs/SDKs
COPY Migrations Migrations
COPY Tests Tests
COPY Benchmarks Benchmarks
COPY Examples Examples
COPY Tools Tools
RUN make release \
    && mkdir /out \
    && strip --strip-all -o /out/postern .build/release/postern \
    && python3 Tools/packaging/inventory.py --binary .build/release/postern --version "$(/out/postern --version)" \
        --licences /out/licences >/out/sbom.cdx.json

# Collects the program with the libraries that it loads, and nothing else of Debian.
FROM debian:bookworm-slim AS files
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        ca-certificates libargon2-1 libcrypt1 libcurl4 libpq5 libsqlite3-0 libssl3 libxml2 libxmlsec1-openssl zlib1g \
    && rm -rf /var/lib/apt/lists/*
COPY Tools/packaging/image-files /usr/local/bin/image-files
COPY --from=build /out/postern /usr/local/bin/postern
RUN image-files /usr/local/bin/postern /image

FROM scratch
COPY --from=files /image /
COPY --from=files --chown=10001:10001 /image/var/lib/postern /var/lib/postern
COPY --from=build /out/sbom.cdx.json /usr/share/doc/postern/sbom.cdx.json
COPY --from=build /out/licences /usr/share/doc/postern/licences
COPY Config/production.yaml /etc/postern/production.yaml
COPY Config/production-project.yaml /etc/postern/project.yaml
USER 10001:10001
WORKDIR /var/lib/postern
VOLUME /var/lib/postern
EXPOSE 9099
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["/usr/local/bin/postern", "health", "--config", "/etc/postern/production.yaml"]
ENTRYPOINT ["/usr/local/bin/postern"]
CMD ["serve", "--config", "/etc/postern/production.yaml"]
