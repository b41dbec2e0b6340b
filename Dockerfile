# The appliance's image. There are two ways to build it:
#
#   docker build -t logstead:local .                              builds the console and the binary in the image
#   npm run build && docker build --target runtime-prebuilt …     copies in the binary that the first command builds
#
# A prebuilt binary has to be from a system whose C library is no newer than that of the runtime image.
ARG NODE_IMAGE=node:22-bookworm-slim
ARG RUST_IMAGE=rust:1.95-bookworm
ARG RUNTIME_IMAGE=debian:bookworm-slim

FROM ${RUNTIME_IMAGE} AS base
# The authorities that TLS trusts, unless the image has them: a container's own list is the place for a company's, too.
RUN [ -s /etc/ssl/certs/ca-certificates.crt ] \
 || { apt-get update -qq && apt-get install -y -qq --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*; }
RUN useradd --system --uid 10001 --no-create-home --home-dir /data logstead \
 && install -d -o logstead -g logstead /data
USER logstead
VOLUME /data
EXPOSE 5514/udp 5514/tcp 6514/tcp 2514/tcp 8080/tcp
ENV LOGSTEAD_DATA=/data LOGSTEAD_WEB__LISTEN=0.0.0.0:8080
# By the settings in force, whatever port and certificate they name.
HEALTHCHECK --interval=5s --timeout=5s --start-period=30s --retries=3 CMD ["logstead", "healthcheck"]
ENTRYPOINT ["logstead"]
CMD ["serve"]

# Comes before the compiling stages, since a builder without BuildKit builds every stage up to its target.
FROM base AS runtime-prebuilt
ARG BINARY=target/release/logstead
COPY ${BINARY} /usr/local/bin/logstead

FROM ${NODE_IMAGE} AS console
WORKDIR /src
COPY package.json package-lock.json ./
COPY web/package.json web/
COPY e2e/package.json e2e/
RUN npm ci --workspace web
COPY web web
COPY docs docs
RUN npm run build --workspace web

FROM ${RUST_IMAGE} AS binary
WORKDIR /src
# Only what the binary is made of, so that a change of a document or a script builds nothing again.
COPY Cargo.toml Cargo.lock rust-toolchain.toml LICENSE ./
COPY .cargo .cargo
COPY bench bench
COPY config config
COPY crates crates
COPY indexer indexer
COPY server server
COPY docs/licence-texts.txt docs/
COPY --from=console /src/web/dist web/dist
RUN cargo build --release --locked --package logstead && strip --strip-debug target/release/logstead

FROM base AS runtime
COPY --from=binary /src/target/release/logstead /usr/local/bin/logstead
