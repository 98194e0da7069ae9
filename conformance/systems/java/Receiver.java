import com.sun.net.httpserver.HttpServer;
import io.cloudevents.CloudEvent;
import io.cloudevents.http.HttpMessageFactory;
import io.cloudevents.rw.CloudEventRWException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;

/**
 * A webhook receiver of the Java SDK behind the HTTP server of the JDK: 204 for an event, 415 for an encoding that the SDK
 * does not know, 400 for what else it refuses.
 */
public class Receiver {
  public static void main(String[] arguments) throws IOException {
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])), 0);
    server.setExecutor(Executors.newFixedThreadPool(8));
    server.createContext("/", exchange -> {
      try (exchange) {
        if (!exchange.getRequestMethod().equals("POST")) {
          exchange.getResponseHeaders().set("Allow", "POST");
          exchange.sendResponseHeaders(405, -1);
          return;
        }
        byte[] body = exchange.getRequestBody().readAllBytes();
        try {
          CloudEvent event = HttpMessageFactory.createReader(
              processHeader -> exchange.getRequestHeaders().forEach(
                  (name, values) -> processHeader.accept(name, values.get(0))),
              body).toEvent();
          System.out.println(event.getId());
          exchange.sendResponseHeaders(204, -1);
        } catch (RuntimeException refused) {
          boolean isUnknown = refused instanceof CloudEventRWException known
              && known.getKind() == CloudEventRWException.CloudEventRWExceptionKind.UNKNOWN_ENCODING;
          byte[] reason = String.valueOf(refused.getMessage()).getBytes();
          exchange.sendResponseHeaders(isUnknown ? 415 : 400, reason.length);
          exchange.getResponseBody().write(reason);
        }
      }
    });
    server.start();
  }
}
