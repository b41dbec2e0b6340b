# The examples of this folder, which shows what is between the markers. They run one after the other.

# example: send
curl -H "Authorization: Bearer $LOGSTEAD_TOKEN" -H 'Content-Type: application/json' -H 'Idempotency-Key: batch-1' \
     "$LOGSTEAD_SERVER/api/v1/ingest" --data '[
       {"host": "web-1", "program": "shop", "level": "error", "message": "timed out", "took_ms": 1250},
       {"host": "web-2", "program": "shop", "level": "info", "message": "GET /cart", "took_ms": 3}]'
# end

# example: lines
curl -H "Authorization: Bearer $LOGSTEAD_TOKEN" -H 'Content-Type: text/plain' \
     "$LOGSTEAD_SERVER/api/v1/ingest?host=nas-1" --data-binary 'disk is almost full
disk is full'
# end

# example: search
curl -H "Authorization: Bearer $LOGSTEAD_TOKEN" -G "$LOGSTEAD_SERVER/api/v1/search" \
     --data-urlencode 'query=program=shop severity>=warning' -d from=-1h
# end

# example: columns
curl -H "Authorization: Bearer $LOGSTEAD_TOKEN" -G "$LOGSTEAD_SERVER/api/v1/search" \
     -d query=program=shop -d columns=host,took_ms -d order=oldest
# end

# example: context
curl -H "Authorization: Bearer $LOGSTEAD_TOKEN" \
     "$LOGSTEAD_SERVER/api/v1/messages/main:0/context?before=5&after=5&same=program"
# end

# example: count
curl -H "Authorization: Bearer $LOGSTEAD_TOKEN" -G "$LOGSTEAD_SERVER/api/v1/count" \
     --data-urlencode 'query=program=shop took_ms>1000' -d from=-1h
# end

# example: histogram
curl -H "Authorization: Bearer $LOGSTEAD_TOKEN" -G "$LOGSTEAD_SERVER/api/v1/histogram" \
     -d query=program=shop -d from=-1h -d buckets=60 -d by=host
# end

# example: facets
curl -H "Authorization: Bearer $LOGSTEAD_TOKEN" -G "$LOGSTEAD_SERVER/api/v1/facets" \
     -d query=program=shop -d fields=host -d limit=10
# end

# example: table
curl -H "Authorization: Bearer $LOGSTEAD_TOKEN" -G "$LOGSTEAD_SERVER/api/v1/aggregate" \
     --data-urlencode 'query=program=shop | stats count(), max(took_ms) as slowest'
# end

# example: export
curl -H "Authorization: Bearer $LOGSTEAD_TOKEN" -G "$LOGSTEAD_SERVER/api/v1/export" \
     -d query=program=shop -d from=-1d -d format=csv -d order=oldest
# end

# example: tail
curl -N -H "Authorization: Bearer $LOGSTEAD_TOKEN" "$LOGSTEAD_SERVER/api/v1/tail?query=program=shop&last=1" |
  grep -m 1 '^data:.*"message":'
# end

# example: apply
etag=$(curl -H "Authorization: Bearer $LOGSTEAD_TOKEN" -o /dev/null -w '%header{etag}' "$LOGSTEAD_SERVER/api/v1/router")
curl -H "Authorization: Bearer $LOGSTEAD_TOKEN" -H 'Content-Type: application/toml' -H "If-Match: $etag" \
     -X PUT "$LOGSTEAD_SERVER/api/v1/router?comment=from+a+file" --data-binary '
       version = 1
       [[sources]]
       id = "http"
       kind = "http"
       [[logspaces]]
       id = "main"
       [[logspaces]]
       id = "audits"
       [[routes]]
       id = "default"
       to = ["main"]'
# end

# example: logspace
curl -H "Authorization: Bearer $LOGSTEAD_TOKEN" -H 'Content-Type: application/json' \
     -X PUT "$LOGSTEAD_SERVER/api/v1/logspaces/audits" --data '{"retention": {"age": "730d", "size": "10GiB"}}'
# end

# example: token
curl -H "Authorization: Bearer $LOGSTEAD_TOKEN" -H 'Content-Type: application/json' \
     "$LOGSTEAD_SERVER/api/v1/tokens" \
     --data '{"name": "shop", "role": "ingest", "limits": {"messages_per_second": 1000}}'
# end

# example: user
curl -H "Authorization: Bearer $LOGSTEAD_TOKEN" -H 'Content-Type: application/json' \
     -X PUT "$LOGSTEAD_SERVER/api/v1/users/ana" \
     --data '{"role": "analyst", "logspaces": ["main"], "scope": null, "password": "a long enough passphrase"}'
# end

# example: saved-search
curl -H "Authorization: Bearer $LOGSTEAD_TOKEN" -H 'Content-Type: application/json' \
     "$LOGSTEAD_SERVER/api/v1/saved-searches" \
     --data '{"name": "errors", "query": "severity>=err", "from": "-1h", "shared": true}'
# end

# example: audit
curl -H "Authorization: Bearer $LOGSTEAD_TOKEN" "$LOGSTEAD_SERVER/api/v1/audit?limit=1"
# end
