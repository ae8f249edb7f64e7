/**
 * The connector's configuration as Airbyte shows it: a JSON-schema form of spec.json that follows the rules of Airbyte's
 * web application (`schemaToFormBlock`, `generateGroupsAndSections`, `useAuthentication`, `FormSection`):
 *
 * - The top level is split into cards by `group`. Only the top level has cards.
 * - Required fields, constants, choices and fields with `always_show` are open, ordered by `order`. All other fields are
 *   folded away below them, inside the variants of a choice too. A card in which all is folded is itself the fold.
 * - The sign-in button takes the place of the constant that `advanced_auth` names as its predicate. While the button is
 *   there, the fields that it fills in are not shown, unless they say `always_show`.
 *
 * Airbyte shows descriptions when the pointer rests on a label; here they are written out.
 */
import Form from "@rjsf/core";
import type {
  ObjectFieldTemplateProps,
  RJSFSchema,
  RJSFValidationError,
  UiSchema,
  WidgetProps,
} from "@rjsf/utils";
import validator from "@rjsf/validator-ajv8";
import { createElement as h, Fragment, type ReactElement } from "react";
import { createRoot } from "react-dom/client";
import spec from "../../../spec.json" with { type: "json" };

const { groups, ...rest } = spec.connectionSpecification;
/** JSON imports know nothing of the unions of JSON schema. */
const schema = rest as unknown as RJSFSchema;

interface Words {
  readonly order?: number;
  readonly group?: string;
  readonly always_show?: boolean;
  readonly airbyte_secret?: boolean;
  readonly display_type?: string;
  readonly pattern_descriptor?: string;
}
type Property = RJSFSchema & Words;
type Named = readonly [name: string, property: Property];

const auth = spec.advanced_auth;
/** The fields of the variant with the sign-in button that the sign-in fills in. */
const filledIn = new Set(
  Object.values(auth.oauth_config_specification.complete_oauth_output_specification.properties).map(
    ({ path_in_connector_config: path }) => path.at(-1),
  ),
);

const propertiesOf = (of: RJSFSchema): Named[] =>
  Object.entries(of.properties ?? {}).map(([name, property]) => [name, property as Property]);

const hasButton = (of: RJSFSchema): boolean =>
  propertiesOf(of).some(([, property]) => property.const === auth.predicate_value);

/** An object's fields by the rules above: those that are open, and those that are folded away. */
function sectionsOf(of: RJSFSchema): { readonly open: Named[]; readonly folded: Named[] } {
  const required = new Set(of.required);
  const isOpen = ([name, { always_show, const: constant, oneOf }]: Named): boolean =>
    required.has(name) || always_show === true || constant !== undefined || oneOf !== undefined;
  const visible = propertiesOf(of)
    .filter(([name, property]) => !hasButton(of) || !filledIn.has(name) || property.always_show)
    .toSorted(([, a], [, b]) => (a.order ?? 0) - (b.order ?? 0));
  return { open: visible.filter(isOpen), folded: visible.filter((field) => !isOpen(field)) };
}

const uiSchemaOf = (of: RJSFSchema): UiSchema =>
  Object.fromEntries(propertiesOf(of).map(([name, property]) => [name, uiOf(property)]));

function uiOf(property: Property): UiSchema {
  if (property.const !== undefined) return { "ui:widget": "hidden" };
  if (property.airbyte_secret === true) return { "ui:widget": "password" };
  if (property.oneOf === undefined) return {};
  const variants = property.oneOf.map((variant) => uiSchemaOf(variant as RJSFSchema));
  return { "ui:widget": property.display_type === "radio" ? "radio" : "select", oneOf: variants };
}

/** The variants of a choice as tiles, each with its title and description. */
function Tiles({ id, options, value, onChange }: WidgetProps): ReactElement {
  const variants = propertiesOf(schema).flatMap(([, property]) => property.oneOf ?? []);
  const tiles = (options.enumOptions ?? []).map(({ label, value: index }) => {
    const variant = variants.find((each) => typeof each === "object" && each.title === label);
    return h(
      "label",
      { key: label, className: index === value ? "tile selected" : "tile" },
      h("input", {
        type: "radio",
        name: id,
        checked: index === value,
        onChange: () => onChange(index),
      }),
      h("span", null, label),
      h("small", null, typeof variant === "object" ? variant.description : ""),
    );
  });
  return h(Fragment, null, ...tiles);
}

const button = h(
  "button",
  { type: "button", id: "sign-in" },
  `Authenticate your ${schema.title} account`,
);

function ObjectFieldTemplate({
  properties,
  schema: of,
  title,
  description,
}: ObjectFieldTemplateProps): ReactElement {
  const contents = new Map(properties.map(({ name, content }) => [name, content]));
  const elementOf = ([name, property]: Named) =>
    property.const === auth.predicate_value ? button : contents.get(name);
  const fold = (label: string, fields: readonly Named[]) =>
    fields.length === 0
      ? null
      : h("details", null, h("summary", null, label), ...fields.map(elementOf));
  const { open, folded } = sectionsOf(of);
  if (of.oneOf !== undefined) {
    return h(
      "div",
      { className: "choice" },
      h("label", null, title),
      h("p", { className: "field-description" }, description),
    );
  }
  if (open.every(([, { group }]) => group === undefined)) {
    const fields = open.map(elementOf);
    return h("div", { className: "variant" }, ...fields, fold("Optional fields", folded));
  }
  const cards = groups.map(({ id, title: heading }) => {
    const inCard = ([, { group }]: Named): boolean => group === id;
    const [shown, hidden] = [open.filter(inCard), folded.filter(inCard)];
    const parts =
      shown.length === 0
        ? [fold(heading, hidden)]
        : [h("h2", null, heading), ...shown.map(elementOf), fold("Optional fields", hidden)];
    return h("section", { key: id, id, className: "card" }, ...parts);
  });
  return h("div", null, h("h1", null, title), ...cards);
}

/** Says in words what a pattern asks for, if the schema has words for it. */
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
    widgets: { RadioWidget: Tiles },
    transformErrors: inWords,
    showErrorList: false,
    noHtml5Validate: true,
    onSubmit: ({ formData }) => {
      document.body.dataset["config"] = JSON.stringify(formData);
    },
  }),
);
