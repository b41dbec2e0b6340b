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
RUN useradd --system --uid 10001 --no-create-home --home-dir /data logstead \
 && install -d -o logstead -g logstead /data
USER logstead
VOLUME /data
EXPOSE 5514/udp 5514/tcp 6514/tcp 2514/tcp 8080/tcp
ENV LOGSTEAD_DATA=/data LOGSTEAD_WEB__LISTEN=0.0.0.0:8080
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=3 \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /readyz HTTP/1.0\\r\\n\\r\\n' >&3 && head -n 1 <&3 | grep -q ' 200 '"]
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
COPY docs/agents.md docs/console.md docs/query-language.md docs/router.md docs/
RUN npm run build --workspace web

FROM ${RUST_IMAGE} AS binary
WORKDIR /src
COPY . .
COPY --from=console /src/web/dist web/dist
RUN cargo build --release --locked --package logstead

FROM base AS runtime
COPY --from=binary /src/target/release/logstead /usr/local/bin/logstead
