// A webhook receiver of the JavaScript SDK in Express: 204 for an event, and as in the example of the SDK 415 for what it refuses.
import { HTTP } from "cloudevents";
import express from "express";

const app = express();
app.use(express.text({ type: () => true, limit: "10mb" }));
app.post("/", (request, response) => {
  try {
    const received = HTTP.toEvent({ headers: request.headers, body: request.body });
    for (const event of [received].flat()) {
      event.validate();
      console.log(event.id);
    }
    response.status(204).end();
  } catch (refused) {
    response.status(415).send(String(refused.message));
  }
});
app.listen(Number(process.argv[2]), "127.0.0.1");
