# Builds a release with the Swift runtime inside, so that the final image needs only Debian's own libraries.
FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        libargon2-dev libcrypt-dev libcurl4-openssl-dev libpq-dev libsqlite3-dev libssl-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY Package.swift ./
COPY Sources Sources
COPY Migrations Migrations
COPY Tests Tests
COPY Benchmarks Benchmarks
COPY Examples Examples
RUN swift build -c release --product postern && install -D .build/release/postern /out/postern

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        ca-certificates libargon2-1 libcrypt1 libcurl4 libpq5 libsqlite3-0 libssl3 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --home-dir /var/lib/postern --create-home postern
COPY --from=build /out/postern /usr/local/bin/postern
COPY Config/production.yaml /etc/postern/production.yaml
COPY Config/production-project.yaml /etc/postern/project.yaml
USER postern
WORKDIR /var/lib/postern
VOLUME /var/lib/postern
EXPOSE 9099
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["postern", "health", "--config", "/etc/postern/production.yaml"]
ENTRYPOINT ["postern"]
CMD ["serve", "--config", "/etc/postern/production.yaml"]
