/**
 * The connector's configuration as a platform shows it: a JSON-schema form of spec.json, with the platform's own words
 * (`order`, `group`, `always_show`, `airbyte_secret`, `airbyte_hidden`, `display_type`, `pattern_descriptor`) followed.
 */
import Form from "@rjsf/core";
import type {
  ObjectFieldTemplateProps,
  RJSFSchema,
  RJSFValidationError,
  UiSchema,
} from "@rjsf/utils";
import validator from "@rjsf/validator-ajv8";
import { createElement as h, type ReactElement } from "react";
import { createRoot } from "react-dom/client";
import spec from "../../../spec.json" with { type: "json" };

const { groups, ...rest } = spec.connectionSpecification;
/** The form shows drafts alike, and needs no `$schema`; JSON imports know nothing of JSON schema's unions. */
const schema = rest as unknown as RJSFSchema;

interface Words {
  readonly order?: number;
  readonly group?: string;
  readonly always_show?: boolean;
  readonly airbyte_secret?: boolean;
  readonly airbyte_hidden?: boolean;
  readonly display_type?: string;
  readonly pattern_descriptor?: string;
}
type Property = RJSFSchema & Words;

const propertiesOf = (of: RJSFSchema): [string, Property][] =>
  Object.entries(of.properties ?? {}).map(([name, property]) => [name, property as Property]);

function uiSchemaOf(of: RJSFSchema): UiSchema {
  const properties = propertiesOf(of);
  const inOrder = properties.toSorted(([, a], [, b]) => (a.order ?? 0) - (b.order ?? 0));
  return {
    "ui:order": inOrder.map(([name]) => name),
    ...Object.fromEntries(properties.map(([name, property]) => [name, uiOf(property)])),
  };
}

function uiOf(property: Property): UiSchema {
  const hint = property.examples === undefined ? {} : { "ui:placeholder": exampleOf(property) };
  if (property.airbyte_hidden === true || property.const !== undefined)
    return { "ui:widget": "hidden" };
  if (property.airbyte_secret === true) return { "ui:widget": "password" };
  if (property.oneOf !== undefined) {
    const variants = property.oneOf.map((variant) => uiSchemaOf(variant as RJSFSchema));
    return { "ui:widget": property.display_type === "radio" ? "radio" : "select", oneOf: variants };
  }
  return hint;
}

const exampleOf = ({ examples }: Property): string => `e.g. ${String([examples].flat()[0])}`;

/** The fields of the top level as cards, optional ones folded; all other objects as they come. */
function ObjectFieldTemplate({
  properties,
  schema: of,
  title,
  description,
}: ObjectFieldTemplateProps): ReactElement {
  const contents = new Map(properties.map(({ name, content }) => [name, content]));
  const known = propertiesOf(of).filter(([name]) => contents.has(name));
  const byName = new Map(known);
  if (known.every(([, { group }]) => group === undefined)) {
    return h(
      "div",
      { className: of.oneOf === undefined ? "variant" : "choice" },
      of.oneOf === undefined ? null : h("label", null, title),
      description === undefined ? null : h("p", { className: "field-description" }, description),
      ...properties.map(({ content }) => content),
    );
  }
  const required = new Set(of.required);
  const cards = groups.map(({ id, title: heading }) => {
    const names = properties
      .map(({ name }) => name)
      .filter((name) => byName.get(name)?.group === id);
    const shown = names.filter(
      (name) => required.has(name) || byName.get(name)?.always_show === true,
    );
    const folded = names.filter((name) => !shown.includes(name));
    return h(
      "section",
      { key: id, id, className: "card" },
      h("h2", null, heading),
      ...shown.map((name) => contents.get(name)),
      folded.length === 0
        ? null
        : h(
            "details",
            null,
            h("summary", null, "Optional fields"),
            ...folded.map((name) => contents.get(name)),
          ),
    );
  });
  return h("div", null, h("h1", null, title), ...cards);
}

/** What a pattern means in words, where the schema has them. */
function inWords(errors: RJSFValidationError[]): RJSFValidationError[] {
  return errors.map((error) => {
    const name = error.property?.replace(/^\./, "") ?? "";
    const descriptor = propertiesOf(schema).find(([key]) => key === name)?.[1].pattern_descriptor;
    return error.name === "pattern" && descriptor !== undefined
      ? { ...error, message: `The value must look like ${descriptor}` }
      : error;
  });
}

const root = document.querySelector("#form");
if (root === null) throw new Error("the page has no #form");
createRoot(root).render(
  h(Form, {
    schema,
    uiSchema: { ...uiSchemaOf(schema), "ui:submitButtonOptions": { submitText: "Set up source" } },
    validator,
    templates: { ObjectFieldTemplate },
    transformErrors: inWords,
    showErrorList: false,
    noHtml5Validate: true,
    onSubmit: ({ formData }) => {
      document.body.dataset["config"] = JSON.stringify(formData);
    },
  }),
);
