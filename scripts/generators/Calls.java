// The calls of calls.txt, made with the client that openapi-generator makes for Java.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.*;
import org.openapitools.client.auth.HttpBearerAuth;
import org.openapitools.client.model.*;

public class Calls {
  static final String QUERY = "program=calls";
  static boolean failed = false;

  static void attempt(String name, Callable<Boolean> call) {
    String told;
    try {
      told = call.call() ? null : "not as expected";
    } catch (Exception error) {
      told = error.toString();
    }
    System.out.println(told == null ? "ok " + name : "no " + name + ": " + told);
    failed |= told != null;
  }

  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.setBasePath(System.getenv("LOGSTEAD_SERVER"));
    ((HttpBearerAuth) client.getAuthentication("bearerAuth")).setBearerToken(System.getenv("LOGSTEAD_TOKEN"));
    client.setReadTimeout(0);
    ingest(client);
    search(new SearchApi(client));
    router(new RouterApi(client));
    stores(client);
    accounts(new AccountsApi(client));
    others(client);
    System.exit(failed ? 1 : 0);
  }

  /** Sends a body whose type is not the first one that the description names. */
  static int send(ApiClient client, String media, String body, String host) throws Exception {
    Map<String, String> headers = new HashMap<>(Map.of("Content-Type", media, "Accept", "application/json"));
    List<org.openapitools.client.Pair> query = new ArrayList<>();
    if (host != null) query.addAll(client.parameterToPair("host", host));
    okhttp3.Call call = client.buildCall(null, "/api/v1/ingest", "POST", query, new ArrayList<>(),
        body.getBytes("UTF-8"), headers, new HashMap<>(), new HashMap<>(), new String[] {"bearerAuth"}, null);
    Ingested answer = client.<Ingested>execute(call, Ingested.class).getData();
    return answer.getAccepted();
  }

  static void ingest(ApiClient client) {
    attempt("ingest_text", () -> send(client, "text/plain", "disk is full", "nas-1") == 1);
    String one = "{\"message\": \"one\", \"program\": \"calls\", \"tags\": [\"a\", \"b\"]}";
    attempt("ingest_object", () -> send(client, "application/json", one, null) == 1);
    List<Object> list = List.of(Map.of("message", "two", "program", "calls", "n", 2),
        Map.of("message", "three", "program", "calls", "n", 3));
    attempt("ingest_list", () -> new IngestApi(client).ingestMessages(
        list, null, null, null, null, null, null, null, null, null, null, null, "two", null).getAccepted() == 2);
    String four = "{\"message\": \"four\", \"program\": \"calls\", \"n\": 4}\n";
    attempt("ingest_ndjson", () -> send(client, "application/x-ndjson", four, null) == 1);
  }

  static void search(SearchApi api) {
    SearchRequest request = new SearchRequest().query(QUERY).limit(3);
    attempt("search", () -> {
      SearchResult page = api.searchMessages(request);
      request.setCursor(page.getCursor());
      return page.getMessages().size() == 3 && page.getCursor() != null;
    });
    attempt("next_page", () -> {
      Message message = api.searchMessages(request).getMessages().get(0);
      return message.getFields().get("tags").getListString().size() == 2;
    });
    attempt("count", () -> api.countMessages(new CountRequest().query(QUERY)).getCount() == 4);
    attempt("histogram", () -> api.computeHistogram(new HistogramRequest().query(QUERY).by("program")).getTotal() == 4);
    attempt("facets", () -> api.computeFacets(new FacetsRequest().query(QUERY).addFieldsItem("n"))
        .getFields().get("n").getDistinct() == 3);
    attempt("aggregate", () -> ((Number) api.aggregateMessages(new AggregateRequest().query(QUERY + " | stats count()"))
        .getRows().get(0).get(0).getActualInstance()).intValue() == 4);
    attempt("export", () -> {
      okhttp3.Call call = api.exportMessagesCall(QUERY, null, null, null, null, null, null, null, null, null, null, null, null);
      return call.execute().body().string().lines().count() == 4;
    });
    attempt("tail", () -> {
      okhttp3.Call call = api.tailMessagesCall(QUERY, null, null, null, null, null, 2, null, null);
      try (BufferedReader lines = new BufferedReader(new InputStreamReader(call.execute().body().byteStream()))) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          if (!line.startsWith("data:")) continue;
          Object event = TailEvent.fromJson(line.substring(5)).getActualInstance();
          if (event instanceof MessagesTailEvent messages) return messages.getMessages().size() == 2;
        }
        return false;
      } finally {
        call.cancel();
      }
    });
  }

  static void router(RouterApi api) throws Exception {
    var live = api.getRouterWithHttpInfo(null, null);
    Document document = live.getData();
    attempt("get_router", () -> document.getSources().size() == 2);
    document.addLogspacesItem(new Logspace().id("new").durability(Durability.FSYNC).retention(new Retention()));
    attempt("validate_router", () -> api.validateRouter(document).getValid());
    String etag = live.getHeaders().get("etag").get(0);
    attempt("put_router", () -> api.putRouter(etag, document, null, "1h", null).getRevision() == 2);
    attempt("confirm_router", () -> api.confirmRouter(null) != null);
    attempt("trace_message", () -> api.traceMessage(new TraceRequest().raw("<11>a").source("syslog")).getRoutes().size() == 2);
    attempt("test_router", () -> api.testRouter(new RouterTestRequest().document(document).query(QUERY)) != null);
    attempt("get_router_status", () -> api.getRouterStatus() != null);
    attempt("list_revisions", () -> api.listRevisions(null, null).getRevisions().size() == 2);
    attempt("roll_back_router", () -> api.rollBackRouter(1L, null, null, null, null).getRevision() == 3);
    String csv = "host,owner\nweb-1,shop\n";
    attempt("put_lookup", () -> {
      java.io.File file = java.io.File.createTempFile("hosts", ".csv");
      java.nio.file.Files.writeString(file.toPath(), csv);
      api.putLookup("hosts.csv", file);
      return file.delete();
    });
    attempt("get_lookup", () -> {
      okhttp3.Call call = api.getLookupCall("hosts.csv", null);
      return call.execute().body().string().contains("web-1,shop");
    });
  }

  static void stores(ApiClient client) {
    LogspacesApi logspaces = new LogspacesApi(client);
    attempt("list_senders", () -> !new SendersApi(client).listSenders(null, null, null, null, null, null, null).getSenders().isEmpty());
    attempt("list_logspaces", () -> logspaces.listLogspaces().getLogspaces().size() > 1);
    LogspaceRequest month = new LogspaceRequest().retention(new Retention().age("30d"));
    attempt("put_logspace", () -> logspaces.putLogspace("other", month, null, null).getRevision() > 3);
    attempt("verify_logspace", () -> logspaces.verifyLogspace("main") != null);
  }

  static void accounts(AccountsApi api) throws Exception {
    CreatedToken created = api.createToken(new TokenRequest().name("calls").role(Role.INGEST));
    attempt("create_token", () -> !created.getToken().isEmpty());
    attempt("update_token", () -> api.updateToken(created.getId(), new TokenChange().name("renamed")).getName().equals("renamed"));
    attempt("list_tokens", () -> !api.listTokens(null, null, null).getTokens().isEmpty());
    attempt("delete_token", () -> {
      api.deleteToken(created.getId());
      return true;
    });
    // This client leaves out what is null, and the rights of a user have to be complete.
    UserChange analyst = new UserChange().role(Role.ANALYST).addLogspacesItem("main").scope("*").password("a long enough passphrase");
    attempt("put_user", () -> api.putUser("ana", analyst).getName().equals("ana"));
    attempt("list_users", () -> !api.listUsers(null, null).getUsers().isEmpty());
    attempt("list_audit", () -> !api.listAuditEntries(null, null, null, null, null).getEntries().isEmpty());
  }

  static void others(ApiClient client) {
    SavedSearchesApi saved = new SavedSearchesApi(client);
    SystemApi system = new SystemApi(client);
    attempt("create_saved_search",
        () -> saved.createSavedSearch(new SavedSearchRequest().name("all").query("*").shared(true)).getId() > 0);
    attempt("list_saved_searches", () -> saved.listSavedSearches(null, null) != null);
    attempt("about", () -> !system.getAbout().getVersion().isEmpty());
    attempt("openapi", () -> system.getOpenapi(null) != null);
  }
}
