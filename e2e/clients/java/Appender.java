import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.apache.logging.log4j.core.config.Configurator;

/** Appenders of Log4j 2 and Logback, by their configuration: Appender FILE HOST TOKEN. */
class Appender {
  public static void main(String[] args) throws Exception {
    var address = args[1].split(":");
    System.setProperty("host", address[0]);
    System.setProperty("port", address[1]);
    System.setProperty("token", args[2]);
    var isLog4j = Path.of(args[0]).getFileName().toString().startsWith("log4j");
    Consumer<String> log;
    Runnable stop;
    if (isLog4j) {
      var context = Configurator.initialize("clients", args[0]);
      var logger = context.getLogger("clients");
      log = logger::info;
      stop = context::stop;
    } else {
      var context = new ch.qos.logback.classic.LoggerContext();
      var configurator = new ch.qos.logback.classic.joran.JoranConfigurator();
      context.setMDCAdapter(new ch.qos.logback.classic.util.LogbackMDCAdapter());
      configurator.setContext(context);
      configurator.doConfigure(args[0]);
      var logger = context.getLogger("clients");
      log = logger::info;
      stop = context::stop;
    }
    var json = new ObjectMapper();
    var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = lines.readLine()) != null; ) {
      log.accept(json.readValue(line, String.class));
    }
    stop.run();
  }
}
