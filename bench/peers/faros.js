// A source of the same pages with faros-airbyte-cdk: its runner and its writer, without a check of records.
const { readFileSync } = require("node:fs");
const {
  AirbyteSourceBase,
  AirbyteSourceLogger,
  AirbyteSourceRunner,
  AirbyteSpec,
  AirbyteStreamBase,
} = require("faros-airbyte-cdk");

class Usage extends AirbyteStreamBase {
  constructor(config, logger) {
    super(logger);
    this.config = config;
  }
  get name() {
    return "usage";
  }
  getJsonSchema() {
    return { type: "object", additionalProperties: true };
  }
  get primaryKey() {
    return "x_RecordId";
  }
  async *readRecords() {
    for (const path of readFileSync(this.config.paths, "utf8").split("\n")) {
      const response = await fetch(this.config.origin + path);
      yield* (await response.json()).data;
    }
  }
}

class Source extends AirbyteSourceBase {
  get type() {
    return "bench";
  }
  async spec() {
    return new AirbyteSpec({ connectionSpecification: { type: "object" } });
  }
  async checkConnection() {
    return [true, undefined];
  }
  streams(config) {
    return [new Usage(config, this.logger)];
  }
}

const logger = new AirbyteSourceLogger();
new AirbyteSourceRunner(logger, new Source(logger)).mainCommand().parse();
