// Made by `npm run generate` from schemas/. Do not edit.
var __getOwnPropNames = Object.getOwnPropertyNames;
var __commonJS = (cb, mod) => function() {
  try {
    return mod || (0, cb[__getOwnPropNames(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports;
  } catch (e) {
    throw mod = 0, e;
  }
};

// node_modules/ajv/dist/runtime/ucs2length.js
var require_ucs2length = __commonJS({
  "node_modules/ajv/dist/runtime/ucs2length.js"(exports) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: !0 });
    function ucs2length(str) {
      let len = str.length, length = 0, pos = 0, value;
      for (; pos < len; )
        length++, value = str.charCodeAt(pos++), value >= 55296 && value <= 56319 && pos < len && (value = str.charCodeAt(pos), (value & 64512) === 56320 && pos++);
      return length;
    }
    exports.default = ucs2length;
    ucs2length.code = 'require("ajv/dist/runtime/ucs2length").default';
  }
});

// node_modules/ajv-formats/dist/formats.js
var require_formats = __commonJS({
  "node_modules/ajv-formats/dist/formats.js"(exports) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: !0 });
    exports.formatNames = exports.fastFormats = exports.fullFormats = void 0;
    function fmtDef(validate, compare) {
      return { validate, compare };
    }
    exports.fullFormats = {
      // date: http://tools.ietf.org/html/rfc3339#section-5.6
      date: fmtDef(date, compareDate),
      // date-time: http://tools.ietf.org/html/rfc3339#section-5.6
      time: fmtDef(getTime(!0), compareTime),
      "date-time": fmtDef(getDateTime(!0), compareDateTime),
      "iso-time": fmtDef(getTime(), compareIsoTime),
      "iso-date-time": fmtDef(getDateTime(), compareIsoDateTime),
      // duration: https://tools.ietf.org/html/rfc3339#appendix-A
      duration: /^P(?!$)((\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?|(\d+W)?)$/,
      uri,
      "uri-reference": /^(?:[a-z][a-z0-9+\-.]*:)?(?:\/?\/(?:(?:[a-z0-9\-._~!$&'()*+,;=:]|%[0-9a-f]{2})*@)?(?:\[(?:(?:(?:(?:[0-9a-f]{1,4}:){6}|::(?:[0-9a-f]{1,4}:){5}|(?:[0-9a-f]{1,4})?::(?:[0-9a-f]{1,4}:){4}|(?:(?:[0-9a-f]{1,4}:){0,1}[0-9a-f]{1,4})?::(?:[0-9a-f]{1,4}:){3}|(?:(?:[0-9a-f]{1,4}:){0,2}[0-9a-f]{1,4})?::(?:[0-9a-f]{1,4}:){2}|(?:(?:[0-9a-f]{1,4}:){0,3}[0-9a-f]{1,4})?::[0-9a-f]{1,4}:|(?:(?:[0-9a-f]{1,4}:){0,4}[0-9a-f]{1,4})?::)(?:[0-9a-f]{1,4}:[0-9a-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|[01]?\d\d?)\.){3}(?:25[0-5]|2[0-4]\d|[01]?\d\d?))|(?:(?:[0-9a-f]{1,4}:){0,5}[0-9a-f]{1,4})?::[0-9a-f]{1,4}|(?:(?:[0-9a-f]{1,4}:){0,6}[0-9a-f]{1,4})?::)|[Vv][0-9a-f]+\.[a-z0-9\-._~!$&'()*+,;=:]+)\]|(?:(?:25[0-5]|2[0-4]\d|[01]?\d\d?)\.){3}(?:25[0-5]|2[0-4]\d|[01]?\d\d?)|(?:[a-z0-9\-._~!$&'"()*+,;=]|%[0-9a-f]{2})*)(?::\d*)?(?:\/(?:[a-z0-9\-._~!$&'"()*+,;=:@]|%[0-9a-f]{2})*)*|\/(?:(?:[a-z0-9\-._~!$&'"()*+,;=:@]|%[0-9a-f]{2})+(?:\/(?:[a-z0-9\-._~!$&'"()*+,;=:@]|%[0-9a-f]{2})*)*)?|(?:[a-z0-9\-._~!$&'"()*+,;=:@]|%[0-9a-f]{2})+(?:\/(?:[a-z0-9\-._~!$&'"()*+,;=:@]|%[0-9a-f]{2})*)*)?(?:\?(?:[a-z0-9\-._~!$&'"()*+,;=:@/?]|%[0-9a-f]{2})*)?(?:#(?:[a-z0-9\-._~!$&'"()*+,;=:@/?]|%[0-9a-f]{2})*)?$/i,
      // uri-template: https://tools.ietf.org/html/rfc6570
      "uri-template": /^(?:(?:[^\x00-\x20"'<>%\\^`{|}]|%[0-9a-f]{2})|\{[+#./;?&=,!@|]?(?:[a-z0-9_]|%[0-9a-f]{2})+(?::[1-9][0-9]{0,3}|\*)?(?:,(?:[a-z0-9_]|%[0-9a-f]{2})+(?::[1-9][0-9]{0,3}|\*)?)*\})*$/i,
      // For the source: https://gist.github.com/dperini/729294
      // For test cases: https://mathiasbynens.be/demo/url-regex
      url: /^(?:https?|ftp):\/\/(?:\S+(?::\S*)?@)?(?:(?!(?:10|127)(?:\.\d{1,3}){3})(?!(?:169\.254|192\.168)(?:\.\d{1,3}){2})(?!172\.(?:1[6-9]|2\d|3[0-1])(?:\.\d{1,3}){2})(?:[1-9]\d?|1\d\d|2[01]\d|22[0-3])(?:\.(?:1?\d{1,2}|2[0-4]\d|25[0-5])){2}(?:\.(?:[1-9]\d?|1\d\d|2[0-4]\d|25[0-4]))|(?:(?:[a-z0-9\u{00a1}-\u{ffff}]+-)*[a-z0-9\u{00a1}-\u{ffff}]+)(?:\.(?:[a-z0-9\u{00a1}-\u{ffff}]+-)*[a-z0-9\u{00a1}-\u{ffff}]+)*(?:\.(?:[a-z\u{00a1}-\u{ffff}]{2,})))(?::\d{2,5})?(?:\/[^\s]*)?$/iu,
      email: /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i,
      hostname: /^(?=.{1,253}\.?$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[-0-9a-z]{0,61}[0-9a-z])?)*\.?$/i,
      // optimized https://www.safaribooksonline.com/library/view/regular-expressions-cookbook/9780596802837/ch07s16.html
      ipv4: /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/,
      ipv6: /^((([0-9a-f]{1,4}:){7}([0-9a-f]{1,4}|:))|(([0-9a-f]{1,4}:){6}(:[0-9a-f]{1,4}|((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3})|:))|(([0-9a-f]{1,4}:){5}(((:[0-9a-f]{1,4}){1,2})|:((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3})|:))|(([0-9a-f]{1,4}:){4}(((:[0-9a-f]{1,4}){1,3})|((:[0-9a-f]{1,4})?:((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}))|:))|(([0-9a-f]{1,4}:){3}(((:[0-9a-f]{1,4}){1,4})|((:[0-9a-f]{1,4}){0,2}:((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}))|:))|(([0-9a-f]{1,4}:){2}(((:[0-9a-f]{1,4}){1,5})|((:[0-9a-f]{1,4}){0,3}:((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}))|:))|(([0-9a-f]{1,4}:){1}(((:[0-9a-f]{1,4}){1,6})|((:[0-9a-f]{1,4}){0,4}:((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}))|:))|(:(((:[0-9a-f]{1,4}){1,7})|((:[0-9a-f]{1,4}){0,5}:((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}))|:)))$/i,
      regex,
      // uuid: http://tools.ietf.org/html/rfc4122
      uuid: /^(?:urn:uuid:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
      // JSON-pointer: https://tools.ietf.org/html/rfc6901
      // uri fragment: https://tools.ietf.org/html/rfc3986#appendix-A
      "json-pointer": /^(?:\/(?:[^~/]|~0|~1)*)*$/,
      "json-pointer-uri-fragment": /^#(?:\/(?:[a-z0-9_\-.!$&'()*+,;:=@]|%[0-9a-f]{2}|~0|~1)*)*$/i,
      // relative JSON-pointer: http://tools.ietf.org/html/draft-luff-relative-json-pointer-00
      "relative-json-pointer": /^(?:0|[1-9][0-9]*)(?:#|(?:\/(?:[^~/]|~0|~1)*)*)$/,
      // the following formats are used by the openapi specification: https://spec.openapis.org/oas/v3.0.0#data-types
      // byte: https://github.com/miguelmota/is-base64
      byte,
      // signed 32 bit integer
      int32: { type: "number", validate: validateInt32 },
      // signed 64 bit integer
      int64: { type: "number", validate: validateInt64 },
      // C-type float
      float: { type: "number", validate: validateNumber },
      // C-type double
      double: { type: "number", validate: validateNumber },
      // hint to the UI to hide input strings
      password: !0,
      // unchecked string payload
      binary: !0
    };
    exports.fastFormats = {
      ...exports.fullFormats,
      date: fmtDef(/^\d\d\d\d-[0-1]\d-[0-3]\d$/, compareDate),
      time: fmtDef(/^(?:[0-2]\d:[0-5]\d:[0-5]\d|23:59:60)(?:\.\d+)?(?:z|[+-]\d\d(?::?\d\d)?)$/i, compareTime),
      "date-time": fmtDef(/^\d\d\d\d-[0-1]\d-[0-3]\dt(?:[0-2]\d:[0-5]\d:[0-5]\d|23:59:60)(?:\.\d+)?(?:z|[+-]\d\d(?::?\d\d)?)$/i, compareDateTime),
      "iso-time": fmtDef(/^(?:[0-2]\d:[0-5]\d:[0-5]\d|23:59:60)(?:\.\d+)?(?:z|[+-]\d\d(?::?\d\d)?)?$/i, compareIsoTime),
      "iso-date-time": fmtDef(/^\d\d\d\d-[0-1]\d-[0-3]\d[t\s](?:[0-2]\d:[0-5]\d:[0-5]\d|23:59:60)(?:\.\d+)?(?:z|[+-]\d\d(?::?\d\d)?)?$/i, compareIsoDateTime),
      // uri: https://github.com/mafintosh/is-my-json-valid/blob/master/formats.js
      uri: /^(?:[a-z][a-z0-9+\-.]*:)(?:\/?\/)?[^\s]*$/i,
      "uri-reference": /^(?:(?:[a-z][a-z0-9+\-.]*:)?\/?\/)?(?:[^\\\s#][^\s#]*)?(?:#[^\\\s]*)?$/i,
      // email (sources from jsen validator):
      // http://stackoverflow.com/questions/201323/using-a-regular-expression-to-validate-an-email-address#answer-8829363
      // http://www.w3.org/TR/html5/forms.html#valid-e-mail-address (search for 'wilful violation')
      email: /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i
    };
    exports.formatNames = Object.keys(exports.fullFormats);
    function isLeapYear(year) {
      return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
    }
    var DATE = /^(\d\d\d\d)-(\d\d)-(\d\d)$/, DAYS = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    function date(str) {
      let matches = DATE.exec(str);
      if (!matches)
        return !1;
      let year = +matches[1], month = +matches[2], day = +matches[3];
      return month >= 1 && month <= 12 && day >= 1 && day <= (month === 2 && isLeapYear(year) ? 29 : DAYS[month]);
    }
    function compareDate(d1, d2) {
      if (d1 && d2)
        return d1 > d2 ? 1 : d1 < d2 ? -1 : 0;
    }
    var TIME = /^(\d\d):(\d\d):(\d\d(?:\.\d+)?)(z|([+-])(\d\d)(?::?(\d\d))?)?$/i;
    function getTime(strictTimeZone) {
      return function(str) {
        let matches = TIME.exec(str);
        if (!matches)
          return !1;
        let hr = +matches[1], min = +matches[2], sec = +matches[3], tz = matches[4], tzSign = matches[5] === "-" ? -1 : 1, tzH = +(matches[6] || 0), tzM = +(matches[7] || 0);
        if (tzH > 23 || tzM > 59 || strictTimeZone && !tz)
          return !1;
        if (hr <= 23 && min <= 59 && sec < 60)
          return !0;
        let utcMin = min - tzM * tzSign, utcHr = hr - tzH * tzSign - (utcMin < 0 ? 1 : 0);
        return (utcHr === 23 || utcHr === -1) && (utcMin === 59 || utcMin === -1) && sec < 61;
      };
    }
    function compareTime(s1, s2) {
      if (!(s1 && s2))
        return;
      let t1 = (/* @__PURE__ */ new Date("2020-01-01T" + s1)).valueOf(), t2 = (/* @__PURE__ */ new Date("2020-01-01T" + s2)).valueOf();
      if (t1 && t2)
        return t1 - t2;
    }
    function compareIsoTime(t1, t2) {
      if (!(t1 && t2))
        return;
      let a1 = TIME.exec(t1), a2 = TIME.exec(t2);
      if (a1 && a2)
        return t1 = a1[1] + a1[2] + a1[3], t2 = a2[1] + a2[2] + a2[3], t1 > t2 ? 1 : t1 < t2 ? -1 : 0;
    }
    var DATE_TIME_SEPARATOR = /t|\s/i;
    function getDateTime(strictTimeZone) {
      let time = getTime(strictTimeZone);
      return function(str) {
        let dateTime = str.split(DATE_TIME_SEPARATOR);
        return dateTime.length === 2 && date(dateTime[0]) && time(dateTime[1]);
      };
    }
    function compareDateTime(dt1, dt2) {
      if (!(dt1 && dt2))
        return;
      let d1 = new Date(dt1).valueOf(), d2 = new Date(dt2).valueOf();
      if (d1 && d2)
        return d1 - d2;
    }
    function compareIsoDateTime(dt1, dt2) {
      if (!(dt1 && dt2))
        return;
      let [d1, t1] = dt1.split(DATE_TIME_SEPARATOR), [d2, t2] = dt2.split(DATE_TIME_SEPARATOR), res = compareDate(d1, d2);
      if (res !== void 0)
        return res || compareTime(t1, t2);
    }
    var NOT_URI_FRAGMENT = /\/|:/, URI = /^(?:[a-z][a-z0-9+\-.]*:)(?:\/?\/(?:(?:[a-z0-9\-._~!$&'()*+,;=:]|%[0-9a-f]{2})*@)?(?:\[(?:(?:(?:(?:[0-9a-f]{1,4}:){6}|::(?:[0-9a-f]{1,4}:){5}|(?:[0-9a-f]{1,4})?::(?:[0-9a-f]{1,4}:){4}|(?:(?:[0-9a-f]{1,4}:){0,1}[0-9a-f]{1,4})?::(?:[0-9a-f]{1,4}:){3}|(?:(?:[0-9a-f]{1,4}:){0,2}[0-9a-f]{1,4})?::(?:[0-9a-f]{1,4}:){2}|(?:(?:[0-9a-f]{1,4}:){0,3}[0-9a-f]{1,4})?::[0-9a-f]{1,4}:|(?:(?:[0-9a-f]{1,4}:){0,4}[0-9a-f]{1,4})?::)(?:[0-9a-f]{1,4}:[0-9a-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|[01]?\d\d?)\.){3}(?:25[0-5]|2[0-4]\d|[01]?\d\d?))|(?:(?:[0-9a-f]{1,4}:){0,5}[0-9a-f]{1,4})?::[0-9a-f]{1,4}|(?:(?:[0-9a-f]{1,4}:){0,6}[0-9a-f]{1,4})?::)|[Vv][0-9a-f]+\.[a-z0-9\-._~!$&'()*+,;=:]+)\]|(?:(?:25[0-5]|2[0-4]\d|[01]?\d\d?)\.){3}(?:25[0-5]|2[0-4]\d|[01]?\d\d?)|(?:[a-z0-9\-._~!$&'()*+,;=]|%[0-9a-f]{2})*)(?::\d*)?(?:\/(?:[a-z0-9\-._~!$&'()*+,;=:@]|%[0-9a-f]{2})*)*|\/(?:(?:[a-z0-9\-._~!$&'()*+,;=:@]|%[0-9a-f]{2})+(?:\/(?:[a-z0-9\-._~!$&'()*+,;=:@]|%[0-9a-f]{2})*)*)?|(?:[a-z0-9\-._~!$&'()*+,;=:@]|%[0-9a-f]{2})+(?:\/(?:[a-z0-9\-._~!$&'()*+,;=:@]|%[0-9a-f]{2})*)*)(?:\?(?:[a-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9a-f]{2})*)?(?:#(?:[a-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9a-f]{2})*)?$/i;
    function uri(str) {
      return NOT_URI_FRAGMENT.test(str) && URI.test(str);
    }
    var BYTE = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/gm;
    function byte(str) {
      return BYTE.lastIndex = 0, BYTE.test(str);
    }
    var MIN_INT32 = -(2 ** 31), MAX_INT32 = 2 ** 31 - 1;
    function validateInt32(value) {
      return Number.isInteger(value) && value <= MAX_INT32 && value >= MIN_INT32;
    }
    function validateInt64(value) {
      return Number.isInteger(value);
    }
    function validateNumber() {
      return !0;
    }
    var Z_ANCHOR = /[^\\]\\Z/;
    function regex(str) {
      if (Z_ANCHOR.test(str))
        return !1;
      try {
        return new RegExp(str), !0;
      } catch {
        return !1;
      }
    }
  }
});

// <stdin>
var validateCapabilities = validate10, schema11 = { $schema: "http://json-schema.org/draft-07/schema#", $id: "capabilities.json", title: "Capabilities", description: "What the provider exports for the authorized account (interface sections 2.2 and 2.3).", type: "object", additionalProperties: !1, properties: { profile_version: { description: "Version of the interface profile; always `0.1`.", type: "string", const: "0.1" }, focus_version: { description: "Version of the specification that the profile is based on; always `1.4`.", type: "string", const: "1.4" }, provider: { description: "Name of the provider.", type: "string", minLength: 1 }, authorization_methods: { description: "Credentials that the provider accepts.", type: "array", minItems: 1, uniqueItems: !0, items: { type: "string", enum: ["scoped_bearer_token", "oauth2_authorization_code"] } }, protected_resource_metadata_url: { description: "Address of the protected-resource metadata (RFC 9728).", type: ["string", "null"], format: "uri" }, datasets: { description: "The datasets on offer.", type: "object", additionalProperties: !1, properties: { usage: { description: "Capabilities of the usage dataset (interface section 2.3).", type: "object", additionalProperties: !1, properties: { endpoint: { description: "Path of the export operation, relative to the base URL.", type: "string", pattern: "^/v[0-9]+/" }, granularities: { description: "Bucket widths on offer.", type: "array", minItems: 1, uniqueItems: !0, items: { type: "string", enum: ["1h", "1d"] } }, retention_days: { description: "Days of history that can be read.", type: "integer", minimum: 1 }, maximum_window_days: { description: "Largest window that one query may ask for, in days.", type: "integer", minimum: 1 }, freshness_lag_minutes: { description: "Minutes until usage is complete.", type: "integer", minimum: 0 }, settlement_lag_hours: { description: "Hours until costs settle.", type: "integer", minimum: 0 }, dimensions: { description: "Dimensions that records carry.", type: "array", uniqueItems: !0, items: { type: "string", enum: ["model", "project", "workspace", "api_key", "service_tier", "workload_type", "upstream_provider"] } }, currencies: { description: "Billing currencies that occur (ISO 4217).", type: "array", uniqueItems: !0, items: { type: "string", pattern: "^[A-Z]{3}$" } } }, required: ["endpoint", "granularities", "retention_days", "maximum_window_days", "dimensions"] }, costs: { description: "Capabilities of the costs dataset (interface section 2.3).", type: "object", additionalProperties: !1, properties: { endpoint: { description: "Path of the export operation, relative to the base URL.", type: "string", pattern: "^/v[0-9]+/" }, granularities: { description: "Bucket widths on offer.", type: "array", minItems: 1, uniqueItems: !0, items: { type: "string", enum: ["1h", "1d"] } }, retention_days: { description: "Days of history that can be read.", type: "integer", minimum: 1 }, maximum_window_days: { description: "Largest window that one query may ask for, in days.", type: "integer", minimum: 1 }, freshness_lag_minutes: { description: "Minutes until usage is complete.", type: "integer", minimum: 0 }, settlement_lag_hours: { description: "Hours until costs settle.", type: "integer", minimum: 0 }, dimensions: { description: "Dimensions that records carry.", type: "array", uniqueItems: !0, items: { type: "string", enum: ["model", "project", "workspace", "api_key", "service_tier", "workload_type", "upstream_provider"] } }, currencies: { description: "Billing currencies that occur (ISO 4217).", type: "array", uniqueItems: !0, items: { type: "string", pattern: "^[A-Z]{3}$" } } }, required: ["endpoint", "granularities", "retention_days", "maximum_window_days", "dimensions"] } }, required: ["usage"] } }, required: ["profile_version", "focus_version", "provider", "authorization_methods", "datasets"] }, func2 = require_ucs2length().default, formats0 = require_formats().fullFormats.uri, pattern0 = new RegExp("^/v[0-9]+/", "u"), pattern1 = new RegExp("^[A-Z]{3}$", "u");
function validate10(data, { instancePath = "", parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null, errors = 0;
  if (errors === 0)
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.profile_version === void 0 && (missing0 = "profile_version") || data.focus_version === void 0 && (missing0 = "focus_version") || data.provider === void 0 && (missing0 = "provider") || data.authorization_methods === void 0 && (missing0 = "authorization_methods") || data.datasets === void 0 && (missing0 = "datasets"))
        return validate10.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }], !1;
      {
        let _errs1 = errors;
        for (let key0 in data)
          if (!(key0 === "profile_version" || key0 === "focus_version" || key0 === "provider" || key0 === "authorization_methods" || key0 === "protected_resource_metadata_url" || key0 === "datasets")) {
            return validate10.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 }, message: "must NOT have additional properties" }], !1;
            break;
          }
        if (_errs1 === errors) {
          if (data.profile_version !== void 0) {
            let data0 = data.profile_version, _errs2 = errors;
            if (typeof data0 != "string")
              return validate10.errors = [{ instancePath: instancePath + "/profile_version", schemaPath: "#/properties/profile_version/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
            if (data0 !== "0.1")
              return validate10.errors = [{ instancePath: instancePath + "/profile_version", schemaPath: "#/properties/profile_version/const", keyword: "const", params: { allowedValue: "0.1" }, message: "must be equal to constant" }], !1;
            var valid0 = _errs2 === errors;
          } else
            var valid0 = !0;
          if (valid0) {
            if (data.focus_version !== void 0) {
              let data1 = data.focus_version, _errs4 = errors;
              if (typeof data1 != "string")
                return validate10.errors = [{ instancePath: instancePath + "/focus_version", schemaPath: "#/properties/focus_version/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
              if (data1 !== "1.4")
                return validate10.errors = [{ instancePath: instancePath + "/focus_version", schemaPath: "#/properties/focus_version/const", keyword: "const", params: { allowedValue: "1.4" }, message: "must be equal to constant" }], !1;
              var valid0 = _errs4 === errors;
            } else
              var valid0 = !0;
            if (valid0) {
              if (data.provider !== void 0) {
                let data2 = data.provider, _errs6 = errors;
                if (errors === _errs6)
                  if (typeof data2 == "string") {
                    if (func2(data2) < 1)
                      return validate10.errors = [{ instancePath: instancePath + "/provider", schemaPath: "#/properties/provider/minLength", keyword: "minLength", params: { limit: 1 }, message: "must NOT have fewer than 1 characters" }], !1;
                  } else
                    return validate10.errors = [{ instancePath: instancePath + "/provider", schemaPath: "#/properties/provider/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                var valid0 = _errs6 === errors;
              } else
                var valid0 = !0;
              if (valid0) {
                if (data.authorization_methods !== void 0) {
                  let data3 = data.authorization_methods, _errs8 = errors;
                  if (errors === _errs8)
                    if (Array.isArray(data3)) {
                      if (data3.length < 1)
                        return validate10.errors = [{ instancePath: instancePath + "/authorization_methods", schemaPath: "#/properties/authorization_methods/minItems", keyword: "minItems", params: { limit: 1 }, message: "must NOT have fewer than 1 items" }], !1;
                      {
                        var valid1 = !0;
                        let len0 = data3.length;
                        for (let i0 = 0; i0 < len0; i0++) {
                          let data4 = data3[i0], _errs10 = errors;
                          if (typeof data4 != "string")
                            return validate10.errors = [{ instancePath: instancePath + "/authorization_methods/" + i0, schemaPath: "#/properties/authorization_methods/items/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                          if (!(data4 === "scoped_bearer_token" || data4 === "oauth2_authorization_code"))
                            return validate10.errors = [{ instancePath: instancePath + "/authorization_methods/" + i0, schemaPath: "#/properties/authorization_methods/items/enum", keyword: "enum", params: { allowedValues: schema11.properties.authorization_methods.items.enum }, message: "must be equal to one of the allowed values" }], !1;
                          var valid1 = _errs10 === errors;
                          if (!valid1)
                            break;
                        }
                        if (valid1) {
                          let i1 = data3.length, j0;
                          if (i1 > 1) {
                            let indices0 = {};
                            for (; i1--; ) {
                              let item0 = data3[i1];
                              if (typeof item0 == "string") {
                                if (typeof indices0[item0] == "number") {
                                  return j0 = indices0[item0], validate10.errors = [{ instancePath: instancePath + "/authorization_methods", schemaPath: "#/properties/authorization_methods/uniqueItems", keyword: "uniqueItems", params: { i: i1, j: j0 }, message: "must NOT have duplicate items (items ## " + j0 + " and " + i1 + " are identical)" }], !1;
                                  break;
                                }
                                indices0[item0] = i1;
                              }
                            }
                          }
                        }
                      }
                    } else
                      return validate10.errors = [{ instancePath: instancePath + "/authorization_methods", schemaPath: "#/properties/authorization_methods/type", keyword: "type", params: { type: "array" }, message: "must be array" }], !1;
                  var valid0 = _errs8 === errors;
                } else
                  var valid0 = !0;
                if (valid0) {
                  if (data.protected_resource_metadata_url !== void 0) {
                    let data5 = data.protected_resource_metadata_url, _errs12 = errors;
                    if (typeof data5 != "string" && data5 !== null)
                      return validate10.errors = [{ instancePath: instancePath + "/protected_resource_metadata_url", schemaPath: "#/properties/protected_resource_metadata_url/type", keyword: "type", params: { type: schema11.properties.protected_resource_metadata_url.type }, message: "must be string,null" }], !1;
                    if (errors === _errs12 && errors === _errs12 && typeof data5 == "string" && !formats0(data5))
                      return validate10.errors = [{ instancePath: instancePath + "/protected_resource_metadata_url", schemaPath: "#/properties/protected_resource_metadata_url/format", keyword: "format", params: { format: "uri" }, message: 'must match format "uri"' }], !1;
                    var valid0 = _errs12 === errors;
                  } else
                    var valid0 = !0;
                  if (valid0)
                    if (data.datasets !== void 0) {
                      let data6 = data.datasets, _errs14 = errors;
                      if (errors === _errs14)
                        if (data6 && typeof data6 == "object" && !Array.isArray(data6)) {
                          let missing1;
                          if (data6.usage === void 0 && (missing1 = "usage"))
                            return validate10.errors = [{ instancePath: instancePath + "/datasets", schemaPath: "#/properties/datasets/required", keyword: "required", params: { missingProperty: missing1 }, message: "must have required property '" + missing1 + "'" }], !1;
                          {
                            let _errs16 = errors;
                            for (let key1 in data6)
                              if (!(key1 === "usage" || key1 === "costs")) {
                                return validate10.errors = [{ instancePath: instancePath + "/datasets", schemaPath: "#/properties/datasets/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key1 }, message: "must NOT have additional properties" }], !1;
                                break;
                              }
                            if (_errs16 === errors) {
                              if (data6.usage !== void 0) {
                                let data7 = data6.usage, _errs17 = errors;
                                if (errors === _errs17)
                                  if (data7 && typeof data7 == "object" && !Array.isArray(data7)) {
                                    let missing2;
                                    if (data7.endpoint === void 0 && (missing2 = "endpoint") || data7.granularities === void 0 && (missing2 = "granularities") || data7.retention_days === void 0 && (missing2 = "retention_days") || data7.maximum_window_days === void 0 && (missing2 = "maximum_window_days") || data7.dimensions === void 0 && (missing2 = "dimensions"))
                                      return validate10.errors = [{ instancePath: instancePath + "/datasets/usage", schemaPath: "#/properties/datasets/properties/usage/required", keyword: "required", params: { missingProperty: missing2 }, message: "must have required property '" + missing2 + "'" }], !1;
                                    {
                                      let _errs19 = errors;
                                      for (let key2 in data7)
                                        if (!(key2 === "endpoint" || key2 === "granularities" || key2 === "retention_days" || key2 === "maximum_window_days" || key2 === "freshness_lag_minutes" || key2 === "settlement_lag_hours" || key2 === "dimensions" || key2 === "currencies")) {
                                          return validate10.errors = [{ instancePath: instancePath + "/datasets/usage", schemaPath: "#/properties/datasets/properties/usage/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key2 }, message: "must NOT have additional properties" }], !1;
                                          break;
                                        }
                                      if (_errs19 === errors) {
                                        if (data7.endpoint !== void 0) {
                                          let data8 = data7.endpoint, _errs20 = errors;
                                          if (errors === _errs20)
                                            if (typeof data8 == "string") {
                                              if (!pattern0.test(data8))
                                                return validate10.errors = [{ instancePath: instancePath + "/datasets/usage/endpoint", schemaPath: "#/properties/datasets/properties/usage/properties/endpoint/pattern", keyword: "pattern", params: { pattern: "^/v[0-9]+/" }, message: 'must match pattern "^/v[0-9]+/"' }], !1;
                                            } else
                                              return validate10.errors = [{ instancePath: instancePath + "/datasets/usage/endpoint", schemaPath: "#/properties/datasets/properties/usage/properties/endpoint/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                                          var valid4 = _errs20 === errors;
                                        } else
                                          var valid4 = !0;
                                        if (valid4) {
                                          if (data7.granularities !== void 0) {
                                            let data9 = data7.granularities, _errs22 = errors;
                                            if (errors === _errs22)
                                              if (Array.isArray(data9)) {
                                                if (data9.length < 1)
                                                  return validate10.errors = [{ instancePath: instancePath + "/datasets/usage/granularities", schemaPath: "#/properties/datasets/properties/usage/properties/granularities/minItems", keyword: "minItems", params: { limit: 1 }, message: "must NOT have fewer than 1 items" }], !1;
                                                {
                                                  var valid5 = !0;
                                                  let len1 = data9.length;
                                                  for (let i2 = 0; i2 < len1; i2++) {
                                                    let data10 = data9[i2], _errs24 = errors;
                                                    if (typeof data10 != "string")
                                                      return validate10.errors = [{ instancePath: instancePath + "/datasets/usage/granularities/" + i2, schemaPath: "#/properties/datasets/properties/usage/properties/granularities/items/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                                                    if (!(data10 === "1h" || data10 === "1d"))
                                                      return validate10.errors = [{ instancePath: instancePath + "/datasets/usage/granularities/" + i2, schemaPath: "#/properties/datasets/properties/usage/properties/granularities/items/enum", keyword: "enum", params: { allowedValues: schema11.properties.datasets.properties.usage.properties.granularities.items.enum }, message: "must be equal to one of the allowed values" }], !1;
                                                    var valid5 = _errs24 === errors;
                                                    if (!valid5)
                                                      break;
                                                  }
                                                  if (valid5) {
                                                    let i3 = data9.length, j1;
                                                    if (i3 > 1) {
                                                      let indices1 = {};
                                                      for (; i3--; ) {
                                                        let item1 = data9[i3];
                                                        if (typeof item1 == "string") {
                                                          if (typeof indices1[item1] == "number") {
                                                            return j1 = indices1[item1], validate10.errors = [{ instancePath: instancePath + "/datasets/usage/granularities", schemaPath: "#/properties/datasets/properties/usage/properties/granularities/uniqueItems", keyword: "uniqueItems", params: { i: i3, j: j1 }, message: "must NOT have duplicate items (items ## " + j1 + " and " + i3 + " are identical)" }], !1;
                                                            break;
                                                          }
                                                          indices1[item1] = i3;
                                                        }
                                                      }
                                                    }
                                                  }
                                                }
                                              } else
                                                return validate10.errors = [{ instancePath: instancePath + "/datasets/usage/granularities", schemaPath: "#/properties/datasets/properties/usage/properties/granularities/type", keyword: "type", params: { type: "array" }, message: "must be array" }], !1;
                                            var valid4 = _errs22 === errors;
                                          } else
                                            var valid4 = !0;
                                          if (valid4) {
                                            if (data7.retention_days !== void 0) {
                                              let data11 = data7.retention_days, _errs26 = errors;
                                              if (!(typeof data11 == "number" && !(data11 % 1) && !isNaN(data11) && isFinite(data11)))
                                                return validate10.errors = [{ instancePath: instancePath + "/datasets/usage/retention_days", schemaPath: "#/properties/datasets/properties/usage/properties/retention_days/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }], !1;
                                              if (errors === _errs26 && typeof data11 == "number" && isFinite(data11) && (data11 < 1 || isNaN(data11)))
                                                return validate10.errors = [{ instancePath: instancePath + "/datasets/usage/retention_days", schemaPath: "#/properties/datasets/properties/usage/properties/retention_days/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 }, message: "must be >= 1" }], !1;
                                              var valid4 = _errs26 === errors;
                                            } else
                                              var valid4 = !0;
                                            if (valid4) {
                                              if (data7.maximum_window_days !== void 0) {
                                                let data12 = data7.maximum_window_days, _errs28 = errors;
                                                if (!(typeof data12 == "number" && !(data12 % 1) && !isNaN(data12) && isFinite(data12)))
                                                  return validate10.errors = [{ instancePath: instancePath + "/datasets/usage/maximum_window_days", schemaPath: "#/properties/datasets/properties/usage/properties/maximum_window_days/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }], !1;
                                                if (errors === _errs28 && typeof data12 == "number" && isFinite(data12) && (data12 < 1 || isNaN(data12)))
                                                  return validate10.errors = [{ instancePath: instancePath + "/datasets/usage/maximum_window_days", schemaPath: "#/properties/datasets/properties/usage/properties/maximum_window_days/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 }, message: "must be >= 1" }], !1;
                                                var valid4 = _errs28 === errors;
                                              } else
                                                var valid4 = !0;
                                              if (valid4) {
                                                if (data7.freshness_lag_minutes !== void 0) {
                                                  let data13 = data7.freshness_lag_minutes, _errs30 = errors;
                                                  if (!(typeof data13 == "number" && !(data13 % 1) && !isNaN(data13) && isFinite(data13)))
                                                    return validate10.errors = [{ instancePath: instancePath + "/datasets/usage/freshness_lag_minutes", schemaPath: "#/properties/datasets/properties/usage/properties/freshness_lag_minutes/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }], !1;
                                                  if (errors === _errs30 && typeof data13 == "number" && isFinite(data13) && (data13 < 0 || isNaN(data13)))
                                                    return validate10.errors = [{ instancePath: instancePath + "/datasets/usage/freshness_lag_minutes", schemaPath: "#/properties/datasets/properties/usage/properties/freshness_lag_minutes/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0" }], !1;
                                                  var valid4 = _errs30 === errors;
                                                } else
                                                  var valid4 = !0;
                                                if (valid4) {
                                                  if (data7.settlement_lag_hours !== void 0) {
                                                    let data14 = data7.settlement_lag_hours, _errs32 = errors;
                                                    if (!(typeof data14 == "number" && !(data14 % 1) && !isNaN(data14) && isFinite(data14)))
                                                      return validate10.errors = [{ instancePath: instancePath + "/datasets/usage/settlement_lag_hours", schemaPath: "#/properties/datasets/properties/usage/properties/settlement_lag_hours/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }], !1;
                                                    if (errors === _errs32 && typeof data14 == "number" && isFinite(data14) && (data14 < 0 || isNaN(data14)))
                                                      return validate10.errors = [{ instancePath: instancePath + "/datasets/usage/settlement_lag_hours", schemaPath: "#/properties/datasets/properties/usage/properties/settlement_lag_hours/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0" }], !1;
                                                    var valid4 = _errs32 === errors;
                                                  } else
                                                    var valid4 = !0;
                                                  if (valid4) {
                                                    if (data7.dimensions !== void 0) {
                                                      let data15 = data7.dimensions, _errs34 = errors;
                                                      if (errors === _errs34)
                                                        if (Array.isArray(data15)) {
                                                          var valid7 = !0;
                                                          let len2 = data15.length;
                                                          for (let i4 = 0; i4 < len2; i4++) {
                                                            let data16 = data15[i4], _errs36 = errors;
                                                            if (typeof data16 != "string")
                                                              return validate10.errors = [{ instancePath: instancePath + "/datasets/usage/dimensions/" + i4, schemaPath: "#/properties/datasets/properties/usage/properties/dimensions/items/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                                                            if (!(data16 === "model" || data16 === "project" || data16 === "workspace" || data16 === "api_key" || data16 === "service_tier" || data16 === "workload_type" || data16 === "upstream_provider"))
                                                              return validate10.errors = [{ instancePath: instancePath + "/datasets/usage/dimensions/" + i4, schemaPath: "#/properties/datasets/properties/usage/properties/dimensions/items/enum", keyword: "enum", params: { allowedValues: schema11.properties.datasets.properties.usage.properties.dimensions.items.enum }, message: "must be equal to one of the allowed values" }], !1;
                                                            var valid7 = _errs36 === errors;
                                                            if (!valid7)
                                                              break;
                                                          }
                                                          if (valid7) {
                                                            let i5 = data15.length, j2;
                                                            if (i5 > 1) {
                                                              let indices2 = {};
                                                              for (; i5--; ) {
                                                                let item2 = data15[i5];
                                                                if (typeof item2 == "string") {
                                                                  if (typeof indices2[item2] == "number") {
                                                                    return j2 = indices2[item2], validate10.errors = [{ instancePath: instancePath + "/datasets/usage/dimensions", schemaPath: "#/properties/datasets/properties/usage/properties/dimensions/uniqueItems", keyword: "uniqueItems", params: { i: i5, j: j2 }, message: "must NOT have duplicate items (items ## " + j2 + " and " + i5 + " are identical)" }], !1;
                                                                    break;
                                                                  }
                                                                  indices2[item2] = i5;
                                                                }
                                                              }
                                                            }
                                                          }
                                                        } else
                                                          return validate10.errors = [{ instancePath: instancePath + "/datasets/usage/dimensions", schemaPath: "#/properties/datasets/properties/usage/properties/dimensions/type", keyword: "type", params: { type: "array" }, message: "must be array" }], !1;
                                                      var valid4 = _errs34 === errors;
                                                    } else
                                                      var valid4 = !0;
                                                    if (valid4)
                                                      if (data7.currencies !== void 0) {
                                                        let data17 = data7.currencies, _errs38 = errors;
                                                        if (errors === _errs38)
                                                          if (Array.isArray(data17)) {
                                                            var valid9 = !0;
                                                            let len3 = data17.length;
                                                            for (let i6 = 0; i6 < len3; i6++) {
                                                              let data18 = data17[i6], _errs40 = errors;
                                                              if (errors === _errs40)
                                                                if (typeof data18 == "string") {
                                                                  if (!pattern1.test(data18))
                                                                    return validate10.errors = [{ instancePath: instancePath + "/datasets/usage/currencies/" + i6, schemaPath: "#/properties/datasets/properties/usage/properties/currencies/items/pattern", keyword: "pattern", params: { pattern: "^[A-Z]{3}$" }, message: 'must match pattern "^[A-Z]{3}$"' }], !1;
                                                                } else
                                                                  return validate10.errors = [{ instancePath: instancePath + "/datasets/usage/currencies/" + i6, schemaPath: "#/properties/datasets/properties/usage/properties/currencies/items/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                                                              var valid9 = _errs40 === errors;
                                                              if (!valid9)
                                                                break;
                                                            }
                                                            if (valid9) {
                                                              let i7 = data17.length, j3;
                                                              if (i7 > 1) {
                                                                let indices3 = {};
                                                                for (; i7--; ) {
                                                                  let item3 = data17[i7];
                                                                  if (typeof item3 == "string") {
                                                                    if (typeof indices3[item3] == "number") {
                                                                      return j3 = indices3[item3], validate10.errors = [{ instancePath: instancePath + "/datasets/usage/currencies", schemaPath: "#/properties/datasets/properties/usage/properties/currencies/uniqueItems", keyword: "uniqueItems", params: { i: i7, j: j3 }, message: "must NOT have duplicate items (items ## " + j3 + " and " + i7 + " are identical)" }], !1;
                                                                      break;
                                                                    }
                                                                    indices3[item3] = i7;
                                                                  }
                                                                }
                                                              }
                                                            }
                                                          } else
                                                            return validate10.errors = [{ instancePath: instancePath + "/datasets/usage/currencies", schemaPath: "#/properties/datasets/properties/usage/properties/currencies/type", keyword: "type", params: { type: "array" }, message: "must be array" }], !1;
                                                        var valid4 = _errs38 === errors;
                                                      } else
                                                        var valid4 = !0;
                                                  }
                                                }
                                              }
                                            }
                                          }
                                        }
                                      }
                                    }
                                  } else
                                    return validate10.errors = [{ instancePath: instancePath + "/datasets/usage", schemaPath: "#/properties/datasets/properties/usage/type", keyword: "type", params: { type: "object" }, message: "must be object" }], !1;
                                var valid3 = _errs17 === errors;
                              } else
                                var valid3 = !0;
                              if (valid3)
                                if (data6.costs !== void 0) {
                                  let data19 = data6.costs, _errs42 = errors;
                                  if (errors === _errs42)
                                    if (data19 && typeof data19 == "object" && !Array.isArray(data19)) {
                                      let missing3;
                                      if (data19.endpoint === void 0 && (missing3 = "endpoint") || data19.granularities === void 0 && (missing3 = "granularities") || data19.retention_days === void 0 && (missing3 = "retention_days") || data19.maximum_window_days === void 0 && (missing3 = "maximum_window_days") || data19.dimensions === void 0 && (missing3 = "dimensions"))
                                        return validate10.errors = [{ instancePath: instancePath + "/datasets/costs", schemaPath: "#/properties/datasets/properties/costs/required", keyword: "required", params: { missingProperty: missing3 }, message: "must have required property '" + missing3 + "'" }], !1;
                                      {
                                        let _errs44 = errors;
                                        for (let key3 in data19)
                                          if (!(key3 === "endpoint" || key3 === "granularities" || key3 === "retention_days" || key3 === "maximum_window_days" || key3 === "freshness_lag_minutes" || key3 === "settlement_lag_hours" || key3 === "dimensions" || key3 === "currencies")) {
                                            return validate10.errors = [{ instancePath: instancePath + "/datasets/costs", schemaPath: "#/properties/datasets/properties/costs/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key3 }, message: "must NOT have additional properties" }], !1;
                                            break;
                                          }
                                        if (_errs44 === errors) {
                                          if (data19.endpoint !== void 0) {
                                            let data20 = data19.endpoint, _errs45 = errors;
                                            if (errors === _errs45)
                                              if (typeof data20 == "string") {
                                                if (!pattern0.test(data20))
                                                  return validate10.errors = [{ instancePath: instancePath + "/datasets/costs/endpoint", schemaPath: "#/properties/datasets/properties/costs/properties/endpoint/pattern", keyword: "pattern", params: { pattern: "^/v[0-9]+/" }, message: 'must match pattern "^/v[0-9]+/"' }], !1;
                                              } else
                                                return validate10.errors = [{ instancePath: instancePath + "/datasets/costs/endpoint", schemaPath: "#/properties/datasets/properties/costs/properties/endpoint/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                                            var valid11 = _errs45 === errors;
                                          } else
                                            var valid11 = !0;
                                          if (valid11) {
                                            if (data19.granularities !== void 0) {
                                              let data21 = data19.granularities, _errs47 = errors;
                                              if (errors === _errs47)
                                                if (Array.isArray(data21)) {
                                                  if (data21.length < 1)
                                                    return validate10.errors = [{ instancePath: instancePath + "/datasets/costs/granularities", schemaPath: "#/properties/datasets/properties/costs/properties/granularities/minItems", keyword: "minItems", params: { limit: 1 }, message: "must NOT have fewer than 1 items" }], !1;
                                                  {
                                                    var valid12 = !0;
                                                    let len4 = data21.length;
                                                    for (let i8 = 0; i8 < len4; i8++) {
                                                      let data22 = data21[i8], _errs49 = errors;
                                                      if (typeof data22 != "string")
                                                        return validate10.errors = [{ instancePath: instancePath + "/datasets/costs/granularities/" + i8, schemaPath: "#/properties/datasets/properties/costs/properties/granularities/items/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                                                      if (!(data22 === "1h" || data22 === "1d"))
                                                        return validate10.errors = [{ instancePath: instancePath + "/datasets/costs/granularities/" + i8, schemaPath: "#/properties/datasets/properties/costs/properties/granularities/items/enum", keyword: "enum", params: { allowedValues: schema11.properties.datasets.properties.costs.properties.granularities.items.enum }, message: "must be equal to one of the allowed values" }], !1;
                                                      var valid12 = _errs49 === errors;
                                                      if (!valid12)
                                                        break;
                                                    }
                                                    if (valid12) {
                                                      let i9 = data21.length, j4;
                                                      if (i9 > 1) {
                                                        let indices4 = {};
                                                        for (; i9--; ) {
                                                          let item4 = data21[i9];
                                                          if (typeof item4 == "string") {
                                                            if (typeof indices4[item4] == "number") {
                                                              return j4 = indices4[item4], validate10.errors = [{ instancePath: instancePath + "/datasets/costs/granularities", schemaPath: "#/properties/datasets/properties/costs/properties/granularities/uniqueItems", keyword: "uniqueItems", params: { i: i9, j: j4 }, message: "must NOT have duplicate items (items ## " + j4 + " and " + i9 + " are identical)" }], !1;
                                                              break;
                                                            }
                                                            indices4[item4] = i9;
                                                          }
                                                        }
                                                      }
                                                    }
                                                  }
                                                } else
                                                  return validate10.errors = [{ instancePath: instancePath + "/datasets/costs/granularities", schemaPath: "#/properties/datasets/properties/costs/properties/granularities/type", keyword: "type", params: { type: "array" }, message: "must be array" }], !1;
                                              var valid11 = _errs47 === errors;
                                            } else
                                              var valid11 = !0;
                                            if (valid11) {
                                              if (data19.retention_days !== void 0) {
                                                let data23 = data19.retention_days, _errs51 = errors;
                                                if (!(typeof data23 == "number" && !(data23 % 1) && !isNaN(data23) && isFinite(data23)))
                                                  return validate10.errors = [{ instancePath: instancePath + "/datasets/costs/retention_days", schemaPath: "#/properties/datasets/properties/costs/properties/retention_days/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }], !1;
                                                if (errors === _errs51 && typeof data23 == "number" && isFinite(data23) && (data23 < 1 || isNaN(data23)))
                                                  return validate10.errors = [{ instancePath: instancePath + "/datasets/costs/retention_days", schemaPath: "#/properties/datasets/properties/costs/properties/retention_days/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 }, message: "must be >= 1" }], !1;
                                                var valid11 = _errs51 === errors;
                                              } else
                                                var valid11 = !0;
                                              if (valid11) {
                                                if (data19.maximum_window_days !== void 0) {
                                                  let data24 = data19.maximum_window_days, _errs53 = errors;
                                                  if (!(typeof data24 == "number" && !(data24 % 1) && !isNaN(data24) && isFinite(data24)))
                                                    return validate10.errors = [{ instancePath: instancePath + "/datasets/costs/maximum_window_days", schemaPath: "#/properties/datasets/properties/costs/properties/maximum_window_days/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }], !1;
                                                  if (errors === _errs53 && typeof data24 == "number" && isFinite(data24) && (data24 < 1 || isNaN(data24)))
                                                    return validate10.errors = [{ instancePath: instancePath + "/datasets/costs/maximum_window_days", schemaPath: "#/properties/datasets/properties/costs/properties/maximum_window_days/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 }, message: "must be >= 1" }], !1;
                                                  var valid11 = _errs53 === errors;
                                                } else
                                                  var valid11 = !0;
                                                if (valid11) {
                                                  if (data19.freshness_lag_minutes !== void 0) {
                                                    let data25 = data19.freshness_lag_minutes, _errs55 = errors;
                                                    if (!(typeof data25 == "number" && !(data25 % 1) && !isNaN(data25) && isFinite(data25)))
                                                      return validate10.errors = [{ instancePath: instancePath + "/datasets/costs/freshness_lag_minutes", schemaPath: "#/properties/datasets/properties/costs/properties/freshness_lag_minutes/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }], !1;
                                                    if (errors === _errs55 && typeof data25 == "number" && isFinite(data25) && (data25 < 0 || isNaN(data25)))
                                                      return validate10.errors = [{ instancePath: instancePath + "/datasets/costs/freshness_lag_minutes", schemaPath: "#/properties/datasets/properties/costs/properties/freshness_lag_minutes/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0" }], !1;
                                                    var valid11 = _errs55 === errors;
                                                  } else
                                                    var valid11 = !0;
                                                  if (valid11) {
                                                    if (data19.settlement_lag_hours !== void 0) {
                                                      let data26 = data19.settlement_lag_hours, _errs57 = errors;
                                                      if (!(typeof data26 == "number" && !(data26 % 1) && !isNaN(data26) && isFinite(data26)))
                                                        return validate10.errors = [{ instancePath: instancePath + "/datasets/costs/settlement_lag_hours", schemaPath: "#/properties/datasets/properties/costs/properties/settlement_lag_hours/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }], !1;
                                                      if (errors === _errs57 && typeof data26 == "number" && isFinite(data26) && (data26 < 0 || isNaN(data26)))
                                                        return validate10.errors = [{ instancePath: instancePath + "/datasets/costs/settlement_lag_hours", schemaPath: "#/properties/datasets/properties/costs/properties/settlement_lag_hours/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0" }], !1;
                                                      var valid11 = _errs57 === errors;
                                                    } else
                                                      var valid11 = !0;
                                                    if (valid11) {
                                                      if (data19.dimensions !== void 0) {
                                                        let data27 = data19.dimensions, _errs59 = errors;
                                                        if (errors === _errs59)
                                                          if (Array.isArray(data27)) {
                                                            var valid14 = !0;
                                                            let len5 = data27.length;
                                                            for (let i10 = 0; i10 < len5; i10++) {
                                                              let data28 = data27[i10], _errs61 = errors;
                                                              if (typeof data28 != "string")
                                                                return validate10.errors = [{ instancePath: instancePath + "/datasets/costs/dimensions/" + i10, schemaPath: "#/properties/datasets/properties/costs/properties/dimensions/items/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                                                              if (!(data28 === "model" || data28 === "project" || data28 === "workspace" || data28 === "api_key" || data28 === "service_tier" || data28 === "workload_type" || data28 === "upstream_provider"))
                                                                return validate10.errors = [{ instancePath: instancePath + "/datasets/costs/dimensions/" + i10, schemaPath: "#/properties/datasets/properties/costs/properties/dimensions/items/enum", keyword: "enum", params: { allowedValues: schema11.properties.datasets.properties.costs.properties.dimensions.items.enum }, message: "must be equal to one of the allowed values" }], !1;
                                                              var valid14 = _errs61 === errors;
                                                              if (!valid14)
                                                                break;
                                                            }
                                                            if (valid14) {
                                                              let i11 = data27.length, j5;
                                                              if (i11 > 1) {
                                                                let indices5 = {};
                                                                for (; i11--; ) {
                                                                  let item5 = data27[i11];
                                                                  if (typeof item5 == "string") {
                                                                    if (typeof indices5[item5] == "number") {
                                                                      return j5 = indices5[item5], validate10.errors = [{ instancePath: instancePath + "/datasets/costs/dimensions", schemaPath: "#/properties/datasets/properties/costs/properties/dimensions/uniqueItems", keyword: "uniqueItems", params: { i: i11, j: j5 }, message: "must NOT have duplicate items (items ## " + j5 + " and " + i11 + " are identical)" }], !1;
                                                                      break;
                                                                    }
                                                                    indices5[item5] = i11;
                                                                  }
                                                                }
                                                              }
                                                            }
                                                          } else
                                                            return validate10.errors = [{ instancePath: instancePath + "/datasets/costs/dimensions", schemaPath: "#/properties/datasets/properties/costs/properties/dimensions/type", keyword: "type", params: { type: "array" }, message: "must be array" }], !1;
                                                        var valid11 = _errs59 === errors;
                                                      } else
                                                        var valid11 = !0;
                                                      if (valid11)
                                                        if (data19.currencies !== void 0) {
                                                          let data29 = data19.currencies, _errs63 = errors;
                                                          if (errors === _errs63)
                                                            if (Array.isArray(data29)) {
                                                              var valid16 = !0;
                                                              let len6 = data29.length;
                                                              for (let i12 = 0; i12 < len6; i12++) {
                                                                let data30 = data29[i12], _errs65 = errors;
                                                                if (errors === _errs65)
                                                                  if (typeof data30 == "string") {
                                                                    if (!pattern1.test(data30))
                                                                      return validate10.errors = [{ instancePath: instancePath + "/datasets/costs/currencies/" + i12, schemaPath: "#/properties/datasets/properties/costs/properties/currencies/items/pattern", keyword: "pattern", params: { pattern: "^[A-Z]{3}$" }, message: 'must match pattern "^[A-Z]{3}$"' }], !1;
                                                                  } else
                                                                    return validate10.errors = [{ instancePath: instancePath + "/datasets/costs/currencies/" + i12, schemaPath: "#/properties/datasets/properties/costs/properties/currencies/items/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                                                                var valid16 = _errs65 === errors;
                                                                if (!valid16)
                                                                  break;
                                                              }
                                                              if (valid16) {
                                                                let i13 = data29.length, j6;
                                                                if (i13 > 1) {
                                                                  let indices6 = {};
                                                                  for (; i13--; ) {
                                                                    let item6 = data29[i13];
                                                                    if (typeof item6 == "string") {
                                                                      if (typeof indices6[item6] == "number") {
                                                                        return j6 = indices6[item6], validate10.errors = [{ instancePath: instancePath + "/datasets/costs/currencies", schemaPath: "#/properties/datasets/properties/costs/properties/currencies/uniqueItems", keyword: "uniqueItems", params: { i: i13, j: j6 }, message: "must NOT have duplicate items (items ## " + j6 + " and " + i13 + " are identical)" }], !1;
                                                                        break;
                                                                      }
                                                                      indices6[item6] = i13;
                                                                    }
                                                                  }
                                                                }
                                                              }
                                                            } else
                                                              return validate10.errors = [{ instancePath: instancePath + "/datasets/costs/currencies", schemaPath: "#/properties/datasets/properties/costs/properties/currencies/type", keyword: "type", params: { type: "array" }, message: "must be array" }], !1;
                                                          var valid11 = _errs63 === errors;
                                                        } else
                                                          var valid11 = !0;
                                                    }
                                                  }
                                                }
                                              }
                                            }
                                          }
                                        }
                                      }
                                    } else
                                      return validate10.errors = [{ instancePath: instancePath + "/datasets/costs", schemaPath: "#/properties/datasets/properties/costs/type", keyword: "type", params: { type: "object" }, message: "must be object" }], !1;
                                  var valid3 = _errs42 === errors;
                                } else
                                  var valid3 = !0;
                            }
                          }
                        } else
                          return validate10.errors = [{ instancePath: instancePath + "/datasets", schemaPath: "#/properties/datasets/type", keyword: "type", params: { type: "object" }, message: "must be object" }], !1;
                      var valid0 = _errs14 === errors;
                    } else
                      var valid0 = !0;
                }
              }
            }
          }
        }
      }
    } else
      return validate10.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }], !1;
  return validate10.errors = vErrors, errors === 0;
}
var validateCosts = validate11, schema12 = { $schema: "http://json-schema.org/draft-07/schema#", $id: "costs.json", title: "CostRecord", description: "A provider-billed cost record (interface sections 2.4 and 2.6).", type: "object", properties: { x_RecordId: { description: "Identifier of the record, unique within the account, dataset and granularity. Primary key.", type: "string", minLength: 1 }, x_RecordUpdatedAt: { description: "When the provider last changed the record (UTC). Of two versions of one record the later one holds.", type: "string", format: "date-time", pattern: "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$" }, x_Granularity: { description: "Width of the record's bucket: `1h` or `1d`.", type: "string", enum: ["1h", "1d"] }, ChargePeriodStart: { description: "Start of the charge period, inclusive (UTC).", type: "string", format: "date-time", pattern: "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$" }, ChargePeriodEnd: { description: "End of the charge period, exclusive (UTC).", type: "string", format: "date-time", pattern: "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$" }, ServiceProviderName: { description: "Name of the party that provides the service.", type: "string", minLength: 1 }, ServiceCategory: { description: "Always `AI and Machine Learning`.", type: "string", const: "AI and Machine Learning" }, ServiceSubcategory: { description: "Subcategory of the service, e.g. `Generative AI`.", type: ["string", "null"] }, ServiceName: { description: "Name of the service.", type: "string", minLength: 1 }, SkuId: { description: "Identifier of the SKU.", type: ["string", "null"] }, SkuMeter: { description: "What the SKU meters, e.g. `Input Tokens`.", type: ["string", "null"] }, x_ModelId: { description: "Model that was used.", type: ["string", "null"] }, x_ProjectId: { description: "Project that the charge belongs to.", type: ["string", "null"] }, x_WorkspaceId: { description: "Workspace that the charge belongs to.", type: ["string", "null"] }, x_ApiKeyId: { description: "Identifier (not the secret) of the API key that was used.", type: ["string", "null"] }, x_ServiceTier: { description: "Service tier, e.g. `standard`, `batch` or `priority`.", type: ["string", "null"] }, x_WorkloadType: { description: "Kind of workload, e.g. `chat` or `embedding`.", type: ["string", "null"] }, x_UpstreamProvider: { description: "Provider that a gateway passed the request on to.", type: ["string", "null"] }, BillingPeriodStart: { description: "Start of the billing period that the charge is invoiced in, inclusive (UTC).", type: "string", format: "date-time", pattern: "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$" }, BillingPeriodEnd: { description: "End of the billing period, exclusive (UTC).", type: "string", format: "date-time", pattern: "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$" }, InvoiceIssuerName: { description: "Name of the party that issues the invoice.", type: "string", minLength: 1 }, InvoiceId: { description: "Invoice that the charge is on; null where it is on none yet.", type: ["string", "null"] }, ChargeCategory: { description: "Kind of charge: `Usage`, `Purchase`, `Tax`, `Credit` or `Adjustment`.", type: "string", enum: ["Usage", "Purchase", "Tax", "Credit", "Adjustment"] }, ChargeClass: { description: "`Correction` where the row corrects a closed billing period, else null.", type: ["string", "null"] }, ChargeDescription: { description: "The charge in words.", type: "string" }, BillingCurrency: { description: "Currency of `BilledCost` and `EffectiveCost` (ISO 4217).", type: "string", pattern: "^[A-Z]{3}$" }, BilledCost: { description: "Cost as invoiced, in `BillingCurrency`; an exact decimal as text, may be negative.", type: "string", pattern: "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$" }, EffectiveCost: { description: "Amortized cost, in `BillingCurrency`; an exact decimal as text, may be negative. Never to be added to `BilledCost`.", type: "string", pattern: "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$" }, PricingCurrency: { description: "Currency that the price list is in (ISO 4217).", type: ["string", "null"], pattern: "^[A-Z]{3}$" }, PricingCurrencyBilledCost: { description: "`BilledCost` in `PricingCurrency`; an exact decimal as text.", type: ["string", "null"], pattern: "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$" }, x_CostStatus: { description: "`provisional` until the provider declares the cost `final`.", type: "string", enum: ["provisional", "final"] }, x_UsageType: { description: "What was used, where the charge is for usage.", type: ["string", "null"] }, x_CorrectsRecordId: { description: "Identifier of the record that this record corrects.", type: ["string", "null"] } }, required: ["x_RecordId", "x_RecordUpdatedAt", "x_Granularity", "ChargePeriodStart", "ChargePeriodEnd", "ServiceProviderName", "ServiceCategory", "ServiceName", "BillingPeriodStart", "BillingPeriodEnd", "InvoiceIssuerName", "ChargeCategory", "ChargeDescription", "BillingCurrency", "BilledCost", "EffectiveCost", "x_CostStatus"] }, formats2 = require_formats().fullFormats["date-time"], pattern4 = new RegExp("^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$", "u"), pattern10 = new RegExp("^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$", "u");
function validate11(data, { instancePath = "", parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null, errors = 0;
  if (errors === 0)
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.x_RecordId === void 0 && (missing0 = "x_RecordId") || data.x_RecordUpdatedAt === void 0 && (missing0 = "x_RecordUpdatedAt") || data.x_Granularity === void 0 && (missing0 = "x_Granularity") || data.ChargePeriodStart === void 0 && (missing0 = "ChargePeriodStart") || data.ChargePeriodEnd === void 0 && (missing0 = "ChargePeriodEnd") || data.ServiceProviderName === void 0 && (missing0 = "ServiceProviderName") || data.ServiceCategory === void 0 && (missing0 = "ServiceCategory") || data.ServiceName === void 0 && (missing0 = "ServiceName") || data.BillingPeriodStart === void 0 && (missing0 = "BillingPeriodStart") || data.BillingPeriodEnd === void 0 && (missing0 = "BillingPeriodEnd") || data.InvoiceIssuerName === void 0 && (missing0 = "InvoiceIssuerName") || data.ChargeCategory === void 0 && (missing0 = "ChargeCategory") || data.ChargeDescription === void 0 && (missing0 = "ChargeDescription") || data.BillingCurrency === void 0 && (missing0 = "BillingCurrency") || data.BilledCost === void 0 && (missing0 = "BilledCost") || data.EffectiveCost === void 0 && (missing0 = "EffectiveCost") || data.x_CostStatus === void 0 && (missing0 = "x_CostStatus"))
        return validate11.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }], !1;
      if (data.x_RecordId !== void 0) {
        let data0 = data.x_RecordId, _errs1 = errors;
        if (errors === _errs1)
          if (typeof data0 == "string") {
            if (func2(data0) < 1)
              return validate11.errors = [{ instancePath: instancePath + "/x_RecordId", schemaPath: "#/properties/x_RecordId/minLength", keyword: "minLength", params: { limit: 1 }, message: "must NOT have fewer than 1 characters" }], !1;
          } else
            return validate11.errors = [{ instancePath: instancePath + "/x_RecordId", schemaPath: "#/properties/x_RecordId/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
        var valid0 = _errs1 === errors;
      } else
        var valid0 = !0;
      if (valid0) {
        if (data.x_RecordUpdatedAt !== void 0) {
          let data1 = data.x_RecordUpdatedAt, _errs3 = errors;
          if (errors === _errs3 && errors === _errs3)
            if (typeof data1 == "string")
              if (pattern4.test(data1)) {
                if (!formats2.validate(data1))
                  return validate11.errors = [{ instancePath: instancePath + "/x_RecordUpdatedAt", schemaPath: "#/properties/x_RecordUpdatedAt/format", keyword: "format", params: { format: "date-time" }, message: 'must match format "date-time"' }], !1;
              } else
                return validate11.errors = [{ instancePath: instancePath + "/x_RecordUpdatedAt", schemaPath: "#/properties/x_RecordUpdatedAt/pattern", keyword: "pattern", params: { pattern: "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$" }, message: 'must match pattern "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$"' }], !1;
            else
              return validate11.errors = [{ instancePath: instancePath + "/x_RecordUpdatedAt", schemaPath: "#/properties/x_RecordUpdatedAt/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
          var valid0 = _errs3 === errors;
        } else
          var valid0 = !0;
        if (valid0) {
          if (data.x_Granularity !== void 0) {
            let data2 = data.x_Granularity, _errs5 = errors;
            if (typeof data2 != "string")
              return validate11.errors = [{ instancePath: instancePath + "/x_Granularity", schemaPath: "#/properties/x_Granularity/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
            if (!(data2 === "1h" || data2 === "1d"))
              return validate11.errors = [{ instancePath: instancePath + "/x_Granularity", schemaPath: "#/properties/x_Granularity/enum", keyword: "enum", params: { allowedValues: schema12.properties.x_Granularity.enum }, message: "must be equal to one of the allowed values" }], !1;
            var valid0 = _errs5 === errors;
          } else
            var valid0 = !0;
          if (valid0) {
            if (data.ChargePeriodStart !== void 0) {
              let data3 = data.ChargePeriodStart, _errs7 = errors;
              if (errors === _errs7 && errors === _errs7)
                if (typeof data3 == "string")
                  if (pattern4.test(data3)) {
                    if (!formats2.validate(data3))
                      return validate11.errors = [{ instancePath: instancePath + "/ChargePeriodStart", schemaPath: "#/properties/ChargePeriodStart/format", keyword: "format", params: { format: "date-time" }, message: 'must match format "date-time"' }], !1;
                  } else
                    return validate11.errors = [{ instancePath: instancePath + "/ChargePeriodStart", schemaPath: "#/properties/ChargePeriodStart/pattern", keyword: "pattern", params: { pattern: "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$" }, message: 'must match pattern "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$"' }], !1;
                else
                  return validate11.errors = [{ instancePath: instancePath + "/ChargePeriodStart", schemaPath: "#/properties/ChargePeriodStart/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
              var valid0 = _errs7 === errors;
            } else
              var valid0 = !0;
            if (valid0) {
              if (data.ChargePeriodEnd !== void 0) {
                let data4 = data.ChargePeriodEnd, _errs9 = errors;
                if (errors === _errs9 && errors === _errs9)
                  if (typeof data4 == "string")
                    if (pattern4.test(data4)) {
                      if (!formats2.validate(data4))
                        return validate11.errors = [{ instancePath: instancePath + "/ChargePeriodEnd", schemaPath: "#/properties/ChargePeriodEnd/format", keyword: "format", params: { format: "date-time" }, message: 'must match format "date-time"' }], !1;
                    } else
                      return validate11.errors = [{ instancePath: instancePath + "/ChargePeriodEnd", schemaPath: "#/properties/ChargePeriodEnd/pattern", keyword: "pattern", params: { pattern: "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$" }, message: 'must match pattern "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$"' }], !1;
                  else
                    return validate11.errors = [{ instancePath: instancePath + "/ChargePeriodEnd", schemaPath: "#/properties/ChargePeriodEnd/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                var valid0 = _errs9 === errors;
              } else
                var valid0 = !0;
              if (valid0) {
                if (data.ServiceProviderName !== void 0) {
                  let data5 = data.ServiceProviderName, _errs11 = errors;
                  if (errors === _errs11)
                    if (typeof data5 == "string") {
                      if (func2(data5) < 1)
                        return validate11.errors = [{ instancePath: instancePath + "/ServiceProviderName", schemaPath: "#/properties/ServiceProviderName/minLength", keyword: "minLength", params: { limit: 1 }, message: "must NOT have fewer than 1 characters" }], !1;
                    } else
                      return validate11.errors = [{ instancePath: instancePath + "/ServiceProviderName", schemaPath: "#/properties/ServiceProviderName/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                  var valid0 = _errs11 === errors;
                } else
                  var valid0 = !0;
                if (valid0) {
                  if (data.ServiceCategory !== void 0) {
                    let data6 = data.ServiceCategory, _errs13 = errors;
                    if (typeof data6 != "string")
                      return validate11.errors = [{ instancePath: instancePath + "/ServiceCategory", schemaPath: "#/properties/ServiceCategory/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                    if (data6 !== "AI and Machine Learning")
                      return validate11.errors = [{ instancePath: instancePath + "/ServiceCategory", schemaPath: "#/properties/ServiceCategory/const", keyword: "const", params: { allowedValue: "AI and Machine Learning" }, message: "must be equal to constant" }], !1;
                    var valid0 = _errs13 === errors;
                  } else
                    var valid0 = !0;
                  if (valid0) {
                    if (data.ServiceSubcategory !== void 0) {
                      let data7 = data.ServiceSubcategory, _errs15 = errors;
                      if (typeof data7 != "string" && data7 !== null)
                        return validate11.errors = [{ instancePath: instancePath + "/ServiceSubcategory", schemaPath: "#/properties/ServiceSubcategory/type", keyword: "type", params: { type: schema12.properties.ServiceSubcategory.type }, message: "must be string,null" }], !1;
                      var valid0 = _errs15 === errors;
                    } else
                      var valid0 = !0;
                    if (valid0) {
                      if (data.ServiceName !== void 0) {
                        let data8 = data.ServiceName, _errs17 = errors;
                        if (errors === _errs17)
                          if (typeof data8 == "string") {
                            if (func2(data8) < 1)
                              return validate11.errors = [{ instancePath: instancePath + "/ServiceName", schemaPath: "#/properties/ServiceName/minLength", keyword: "minLength", params: { limit: 1 }, message: "must NOT have fewer than 1 characters" }], !1;
                          } else
                            return validate11.errors = [{ instancePath: instancePath + "/ServiceName", schemaPath: "#/properties/ServiceName/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                        var valid0 = _errs17 === errors;
                      } else
                        var valid0 = !0;
                      if (valid0) {
                        if (data.SkuId !== void 0) {
                          let data9 = data.SkuId, _errs19 = errors;
                          if (typeof data9 != "string" && data9 !== null)
                            return validate11.errors = [{ instancePath: instancePath + "/SkuId", schemaPath: "#/properties/SkuId/type", keyword: "type", params: { type: schema12.properties.SkuId.type }, message: "must be string,null" }], !1;
                          var valid0 = _errs19 === errors;
                        } else
                          var valid0 = !0;
                        if (valid0) {
                          if (data.SkuMeter !== void 0) {
                            let data10 = data.SkuMeter, _errs21 = errors;
                            if (typeof data10 != "string" && data10 !== null)
                              return validate11.errors = [{ instancePath: instancePath + "/SkuMeter", schemaPath: "#/properties/SkuMeter/type", keyword: "type", params: { type: schema12.properties.SkuMeter.type }, message: "must be string,null" }], !1;
                            var valid0 = _errs21 === errors;
                          } else
                            var valid0 = !0;
                          if (valid0) {
                            if (data.x_ModelId !== void 0) {
                              let data11 = data.x_ModelId, _errs23 = errors;
                              if (typeof data11 != "string" && data11 !== null)
                                return validate11.errors = [{ instancePath: instancePath + "/x_ModelId", schemaPath: "#/properties/x_ModelId/type", keyword: "type", params: { type: schema12.properties.x_ModelId.type }, message: "must be string,null" }], !1;
                              var valid0 = _errs23 === errors;
                            } else
                              var valid0 = !0;
                            if (valid0) {
                              if (data.x_ProjectId !== void 0) {
                                let data12 = data.x_ProjectId, _errs25 = errors;
                                if (typeof data12 != "string" && data12 !== null)
                                  return validate11.errors = [{ instancePath: instancePath + "/x_ProjectId", schemaPath: "#/properties/x_ProjectId/type", keyword: "type", params: { type: schema12.properties.x_ProjectId.type }, message: "must be string,null" }], !1;
                                var valid0 = _errs25 === errors;
                              } else
                                var valid0 = !0;
                              if (valid0) {
                                if (data.x_WorkspaceId !== void 0) {
                                  let data13 = data.x_WorkspaceId, _errs27 = errors;
                                  if (typeof data13 != "string" && data13 !== null)
                                    return validate11.errors = [{ instancePath: instancePath + "/x_WorkspaceId", schemaPath: "#/properties/x_WorkspaceId/type", keyword: "type", params: { type: schema12.properties.x_WorkspaceId.type }, message: "must be string,null" }], !1;
                                  var valid0 = _errs27 === errors;
                                } else
                                  var valid0 = !0;
                                if (valid0) {
                                  if (data.x_ApiKeyId !== void 0) {
                                    let data14 = data.x_ApiKeyId, _errs29 = errors;
                                    if (typeof data14 != "string" && data14 !== null)
                                      return validate11.errors = [{ instancePath: instancePath + "/x_ApiKeyId", schemaPath: "#/properties/x_ApiKeyId/type", keyword: "type", params: { type: schema12.properties.x_ApiKeyId.type }, message: "must be string,null" }], !1;
                                    var valid0 = _errs29 === errors;
                                  } else
                                    var valid0 = !0;
                                  if (valid0) {
                                    if (data.x_ServiceTier !== void 0) {
                                      let data15 = data.x_ServiceTier, _errs31 = errors;
                                      if (typeof data15 != "string" && data15 !== null)
                                        return validate11.errors = [{ instancePath: instancePath + "/x_ServiceTier", schemaPath: "#/properties/x_ServiceTier/type", keyword: "type", params: { type: schema12.properties.x_ServiceTier.type }, message: "must be string,null" }], !1;
                                      var valid0 = _errs31 === errors;
                                    } else
                                      var valid0 = !0;
                                    if (valid0) {
                                      if (data.x_WorkloadType !== void 0) {
                                        let data16 = data.x_WorkloadType, _errs33 = errors;
                                        if (typeof data16 != "string" && data16 !== null)
                                          return validate11.errors = [{ instancePath: instancePath + "/x_WorkloadType", schemaPath: "#/properties/x_WorkloadType/type", keyword: "type", params: { type: schema12.properties.x_WorkloadType.type }, message: "must be string,null" }], !1;
                                        var valid0 = _errs33 === errors;
                                      } else
                                        var valid0 = !0;
                                      if (valid0) {
                                        if (data.x_UpstreamProvider !== void 0) {
                                          let data17 = data.x_UpstreamProvider, _errs35 = errors;
                                          if (typeof data17 != "string" && data17 !== null)
                                            return validate11.errors = [{ instancePath: instancePath + "/x_UpstreamProvider", schemaPath: "#/properties/x_UpstreamProvider/type", keyword: "type", params: { type: schema12.properties.x_UpstreamProvider.type }, message: "must be string,null" }], !1;
                                          var valid0 = _errs35 === errors;
                                        } else
                                          var valid0 = !0;
                                        if (valid0) {
                                          if (data.BillingPeriodStart !== void 0) {
                                            let data18 = data.BillingPeriodStart, _errs37 = errors;
                                            if (errors === _errs37 && errors === _errs37)
                                              if (typeof data18 == "string")
                                                if (pattern4.test(data18)) {
                                                  if (!formats2.validate(data18))
                                                    return validate11.errors = [{ instancePath: instancePath + "/BillingPeriodStart", schemaPath: "#/properties/BillingPeriodStart/format", keyword: "format", params: { format: "date-time" }, message: 'must match format "date-time"' }], !1;
                                                } else
                                                  return validate11.errors = [{ instancePath: instancePath + "/BillingPeriodStart", schemaPath: "#/properties/BillingPeriodStart/pattern", keyword: "pattern", params: { pattern: "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$" }, message: 'must match pattern "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$"' }], !1;
                                              else
                                                return validate11.errors = [{ instancePath: instancePath + "/BillingPeriodStart", schemaPath: "#/properties/BillingPeriodStart/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                                            var valid0 = _errs37 === errors;
                                          } else
                                            var valid0 = !0;
                                          if (valid0) {
                                            if (data.BillingPeriodEnd !== void 0) {
                                              let data19 = data.BillingPeriodEnd, _errs39 = errors;
                                              if (errors === _errs39 && errors === _errs39)
                                                if (typeof data19 == "string")
                                                  if (pattern4.test(data19)) {
                                                    if (!formats2.validate(data19))
                                                      return validate11.errors = [{ instancePath: instancePath + "/BillingPeriodEnd", schemaPath: "#/properties/BillingPeriodEnd/format", keyword: "format", params: { format: "date-time" }, message: 'must match format "date-time"' }], !1;
                                                  } else
                                                    return validate11.errors = [{ instancePath: instancePath + "/BillingPeriodEnd", schemaPath: "#/properties/BillingPeriodEnd/pattern", keyword: "pattern", params: { pattern: "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$" }, message: 'must match pattern "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$"' }], !1;
                                                else
                                                  return validate11.errors = [{ instancePath: instancePath + "/BillingPeriodEnd", schemaPath: "#/properties/BillingPeriodEnd/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                                              var valid0 = _errs39 === errors;
                                            } else
                                              var valid0 = !0;
                                            if (valid0) {
                                              if (data.InvoiceIssuerName !== void 0) {
                                                let data20 = data.InvoiceIssuerName, _errs41 = errors;
                                                if (errors === _errs41)
                                                  if (typeof data20 == "string") {
                                                    if (func2(data20) < 1)
                                                      return validate11.errors = [{ instancePath: instancePath + "/InvoiceIssuerName", schemaPath: "#/properties/InvoiceIssuerName/minLength", keyword: "minLength", params: { limit: 1 }, message: "must NOT have fewer than 1 characters" }], !1;
                                                  } else
                                                    return validate11.errors = [{ instancePath: instancePath + "/InvoiceIssuerName", schemaPath: "#/properties/InvoiceIssuerName/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                                                var valid0 = _errs41 === errors;
                                              } else
                                                var valid0 = !0;
                                              if (valid0) {
                                                if (data.InvoiceId !== void 0) {
                                                  let data21 = data.InvoiceId, _errs43 = errors;
                                                  if (typeof data21 != "string" && data21 !== null)
                                                    return validate11.errors = [{ instancePath: instancePath + "/InvoiceId", schemaPath: "#/properties/InvoiceId/type", keyword: "type", params: { type: schema12.properties.InvoiceId.type }, message: "must be string,null" }], !1;
                                                  var valid0 = _errs43 === errors;
                                                } else
                                                  var valid0 = !0;
                                                if (valid0) {
                                                  if (data.ChargeCategory !== void 0) {
                                                    let data22 = data.ChargeCategory, _errs45 = errors;
                                                    if (typeof data22 != "string")
                                                      return validate11.errors = [{ instancePath: instancePath + "/ChargeCategory", schemaPath: "#/properties/ChargeCategory/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                                                    if (!(data22 === "Usage" || data22 === "Purchase" || data22 === "Tax" || data22 === "Credit" || data22 === "Adjustment"))
                                                      return validate11.errors = [{ instancePath: instancePath + "/ChargeCategory", schemaPath: "#/properties/ChargeCategory/enum", keyword: "enum", params: { allowedValues: schema12.properties.ChargeCategory.enum }, message: "must be equal to one of the allowed values" }], !1;
                                                    var valid0 = _errs45 === errors;
                                                  } else
                                                    var valid0 = !0;
                                                  if (valid0) {
                                                    if (data.ChargeClass !== void 0) {
                                                      let data23 = data.ChargeClass, _errs47 = errors;
                                                      if (typeof data23 != "string" && data23 !== null)
                                                        return validate11.errors = [{ instancePath: instancePath + "/ChargeClass", schemaPath: "#/properties/ChargeClass/type", keyword: "type", params: { type: schema12.properties.ChargeClass.type }, message: "must be string,null" }], !1;
                                                      var valid0 = _errs47 === errors;
                                                    } else
                                                      var valid0 = !0;
                                                    if (valid0) {
                                                      if (data.ChargeDescription !== void 0) {
                                                        let _errs49 = errors;
                                                        if (typeof data.ChargeDescription != "string")
                                                          return validate11.errors = [{ instancePath: instancePath + "/ChargeDescription", schemaPath: "#/properties/ChargeDescription/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                                                        var valid0 = _errs49 === errors;
                                                      } else
                                                        var valid0 = !0;
                                                      if (valid0) {
                                                        if (data.BillingCurrency !== void 0) {
                                                          let data25 = data.BillingCurrency, _errs51 = errors;
                                                          if (errors === _errs51)
                                                            if (typeof data25 == "string") {
                                                              if (!pattern1.test(data25))
                                                                return validate11.errors = [{ instancePath: instancePath + "/BillingCurrency", schemaPath: "#/properties/BillingCurrency/pattern", keyword: "pattern", params: { pattern: "^[A-Z]{3}$" }, message: 'must match pattern "^[A-Z]{3}$"' }], !1;
                                                            } else
                                                              return validate11.errors = [{ instancePath: instancePath + "/BillingCurrency", schemaPath: "#/properties/BillingCurrency/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                                                          var valid0 = _errs51 === errors;
                                                        } else
                                                          var valid0 = !0;
                                                        if (valid0) {
                                                          if (data.BilledCost !== void 0) {
                                                            let data26 = data.BilledCost, _errs53 = errors;
                                                            if (errors === _errs53)
                                                              if (typeof data26 == "string") {
                                                                if (!pattern10.test(data26))
                                                                  return validate11.errors = [{ instancePath: instancePath + "/BilledCost", schemaPath: "#/properties/BilledCost/pattern", keyword: "pattern", params: { pattern: "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$" }, message: 'must match pattern "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$"' }], !1;
                                                              } else
                                                                return validate11.errors = [{ instancePath: instancePath + "/BilledCost", schemaPath: "#/properties/BilledCost/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                                                            var valid0 = _errs53 === errors;
                                                          } else
                                                            var valid0 = !0;
                                                          if (valid0) {
                                                            if (data.EffectiveCost !== void 0) {
                                                              let data27 = data.EffectiveCost, _errs55 = errors;
                                                              if (errors === _errs55)
                                                                if (typeof data27 == "string") {
                                                                  if (!pattern10.test(data27))
                                                                    return validate11.errors = [{ instancePath: instancePath + "/EffectiveCost", schemaPath: "#/properties/EffectiveCost/pattern", keyword: "pattern", params: { pattern: "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$" }, message: 'must match pattern "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$"' }], !1;
                                                                } else
                                                                  return validate11.errors = [{ instancePath: instancePath + "/EffectiveCost", schemaPath: "#/properties/EffectiveCost/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                                                              var valid0 = _errs55 === errors;
                                                            } else
                                                              var valid0 = !0;
                                                            if (valid0) {
                                                              if (data.PricingCurrency !== void 0) {
                                                                let data28 = data.PricingCurrency, _errs57 = errors;
                                                                if (typeof data28 != "string" && data28 !== null)
                                                                  return validate11.errors = [{ instancePath: instancePath + "/PricingCurrency", schemaPath: "#/properties/PricingCurrency/type", keyword: "type", params: { type: schema12.properties.PricingCurrency.type }, message: "must be string,null" }], !1;
                                                                if (errors === _errs57 && typeof data28 == "string" && !pattern1.test(data28))
                                                                  return validate11.errors = [{ instancePath: instancePath + "/PricingCurrency", schemaPath: "#/properties/PricingCurrency/pattern", keyword: "pattern", params: { pattern: "^[A-Z]{3}$" }, message: 'must match pattern "^[A-Z]{3}$"' }], !1;
                                                                var valid0 = _errs57 === errors;
                                                              } else
                                                                var valid0 = !0;
                                                              if (valid0) {
                                                                if (data.PricingCurrencyBilledCost !== void 0) {
                                                                  let data29 = data.PricingCurrencyBilledCost, _errs59 = errors;
                                                                  if (typeof data29 != "string" && data29 !== null)
                                                                    return validate11.errors = [{ instancePath: instancePath + "/PricingCurrencyBilledCost", schemaPath: "#/properties/PricingCurrencyBilledCost/type", keyword: "type", params: { type: schema12.properties.PricingCurrencyBilledCost.type }, message: "must be string,null" }], !1;
                                                                  if (errors === _errs59 && typeof data29 == "string" && !pattern10.test(data29))
                                                                    return validate11.errors = [{ instancePath: instancePath + "/PricingCurrencyBilledCost", schemaPath: "#/properties/PricingCurrencyBilledCost/pattern", keyword: "pattern", params: { pattern: "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$" }, message: 'must match pattern "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$"' }], !1;
                                                                  var valid0 = _errs59 === errors;
                                                                } else
                                                                  var valid0 = !0;
                                                                if (valid0) {
                                                                  if (data.x_CostStatus !== void 0) {
                                                                    let data30 = data.x_CostStatus, _errs61 = errors;
                                                                    if (typeof data30 != "string")
                                                                      return validate11.errors = [{ instancePath: instancePath + "/x_CostStatus", schemaPath: "#/properties/x_CostStatus/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                                                                    if (!(data30 === "provisional" || data30 === "final"))
                                                                      return validate11.errors = [{ instancePath: instancePath + "/x_CostStatus", schemaPath: "#/properties/x_CostStatus/enum", keyword: "enum", params: { allowedValues: schema12.properties.x_CostStatus.enum }, message: "must be equal to one of the allowed values" }], !1;
                                                                    var valid0 = _errs61 === errors;
                                                                  } else
                                                                    var valid0 = !0;
                                                                  if (valid0) {
                                                                    if (data.x_UsageType !== void 0) {
                                                                      let data31 = data.x_UsageType, _errs63 = errors;
                                                                      if (typeof data31 != "string" && data31 !== null)
                                                                        return validate11.errors = [{ instancePath: instancePath + "/x_UsageType", schemaPath: "#/properties/x_UsageType/type", keyword: "type", params: { type: schema12.properties.x_UsageType.type }, message: "must be string,null" }], !1;
                                                                      var valid0 = _errs63 === errors;
                                                                    } else
                                                                      var valid0 = !0;
                                                                    if (valid0)
                                                                      if (data.x_CorrectsRecordId !== void 0) {
                                                                        let data32 = data.x_CorrectsRecordId, _errs65 = errors;
                                                                        if (typeof data32 != "string" && data32 !== null)
                                                                          return validate11.errors = [{ instancePath: instancePath + "/x_CorrectsRecordId", schemaPath: "#/properties/x_CorrectsRecordId/type", keyword: "type", params: { type: schema12.properties.x_CorrectsRecordId.type }, message: "must be string,null" }], !1;
                                                                        var valid0 = _errs65 === errors;
                                                                      } else
                                                                        var valid0 = !0;
                                                                  }
                                                                }
                                                              }
                                                            }
                                                          }
                                                        }
                                                      }
                                                    }
                                                  }
                                                }
                                              }
                                            }
                                          }
                                        }
                                      }
                                    }
                                  }
                                }
                              }
                            }
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else
      return validate11.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }], !1;
  return validate11.errors = vErrors, errors === 0;
}
var validatePage = validate12, schema13 = { $schema: "http://json-schema.org/draft-07/schema#", $id: "page.json", title: "Page", description: "The envelope of a page of records (interface section 2.6.1); the records are checked one by one against their own schema.", type: "object", additionalProperties: !1, properties: { data: { description: "The page's records.", type: "array", items: {} }, next_cursor: { description: "Opaque cursor of the next page; null on the last page.", type: ["string", "null"], minLength: 1 }, as_of: { description: "The instant that the listing shows (UTC).", type: "string", format: "date-time", pattern: "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$" }, available_through: { description: "The instant before which the provider declares its data available (UTC).", type: "string", format: "date-time", pattern: "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$" } }, required: ["data", "next_cursor", "as_of", "available_through"] };
function validate12(data, { instancePath = "", parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null, errors = 0;
  if (errors === 0)
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.data === void 0 && (missing0 = "data") || data.next_cursor === void 0 && (missing0 = "next_cursor") || data.as_of === void 0 && (missing0 = "as_of") || data.available_through === void 0 && (missing0 = "available_through"))
        return validate12.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }], !1;
      {
        let _errs1 = errors;
        for (let key0 in data)
          if (!(key0 === "data" || key0 === "next_cursor" || key0 === "as_of" || key0 === "available_through")) {
            return validate12.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 }, message: "must NOT have additional properties" }], !1;
            break;
          }
        if (_errs1 === errors) {
          if (data.data !== void 0) {
            let _errs2 = errors;
            if (errors === _errs2 && !Array.isArray(data.data))
              return validate12.errors = [{ instancePath: instancePath + "/data", schemaPath: "#/properties/data/type", keyword: "type", params: { type: "array" }, message: "must be array" }], !1;
            var valid0 = _errs2 === errors;
          } else
            var valid0 = !0;
          if (valid0) {
            if (data.next_cursor !== void 0) {
              let data1 = data.next_cursor, _errs4 = errors;
              if (typeof data1 != "string" && data1 !== null)
                return validate12.errors = [{ instancePath: instancePath + "/next_cursor", schemaPath: "#/properties/next_cursor/type", keyword: "type", params: { type: schema13.properties.next_cursor.type }, message: "must be string,null" }], !1;
              if (errors === _errs4 && typeof data1 == "string" && func2(data1) < 1)
                return validate12.errors = [{ instancePath: instancePath + "/next_cursor", schemaPath: "#/properties/next_cursor/minLength", keyword: "minLength", params: { limit: 1 }, message: "must NOT have fewer than 1 characters" }], !1;
              var valid0 = _errs4 === errors;
            } else
              var valid0 = !0;
            if (valid0) {
              if (data.as_of !== void 0) {
                let data2 = data.as_of, _errs6 = errors;
                if (errors === _errs6 && errors === _errs6)
                  if (typeof data2 == "string")
                    if (pattern4.test(data2)) {
                      if (!formats2.validate(data2))
                        return validate12.errors = [{ instancePath: instancePath + "/as_of", schemaPath: "#/properties/as_of/format", keyword: "format", params: { format: "date-time" }, message: 'must match format "date-time"' }], !1;
                    } else
                      return validate12.errors = [{ instancePath: instancePath + "/as_of", schemaPath: "#/properties/as_of/pattern", keyword: "pattern", params: { pattern: "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$" }, message: 'must match pattern "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$"' }], !1;
                  else
                    return validate12.errors = [{ instancePath: instancePath + "/as_of", schemaPath: "#/properties/as_of/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                var valid0 = _errs6 === errors;
              } else
                var valid0 = !0;
              if (valid0)
                if (data.available_through !== void 0) {
                  let data3 = data.available_through, _errs8 = errors;
                  if (errors === _errs8 && errors === _errs8)
                    if (typeof data3 == "string")
                      if (pattern4.test(data3)) {
                        if (!formats2.validate(data3))
                          return validate12.errors = [{ instancePath: instancePath + "/available_through", schemaPath: "#/properties/available_through/format", keyword: "format", params: { format: "date-time" }, message: 'must match format "date-time"' }], !1;
                      } else
                        return validate12.errors = [{ instancePath: instancePath + "/available_through", schemaPath: "#/properties/available_through/pattern", keyword: "pattern", params: { pattern: "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$" }, message: 'must match pattern "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$"' }], !1;
                    else
                      return validate12.errors = [{ instancePath: instancePath + "/available_through", schemaPath: "#/properties/available_through/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                  var valid0 = _errs8 === errors;
                } else
                  var valid0 = !0;
            }
          }
        }
      }
    } else
      return validate12.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }], !1;
  return validate12.errors = vErrors, errors === 0;
}
var validateProblem = validate13;
var formats16 = /^(?:[a-z][a-z0-9+\-.]*:)?(?:\/?\/(?:(?:[a-z0-9\-._~!$&'()*+,;=:]|%[0-9a-f]{2})*@)?(?:\[(?:(?:(?:(?:[0-9a-f]{1,4}:){6}|::(?:[0-9a-f]{1,4}:){5}|(?:[0-9a-f]{1,4})?::(?:[0-9a-f]{1,4}:){4}|(?:(?:[0-9a-f]{1,4}:){0,1}[0-9a-f]{1,4})?::(?:[0-9a-f]{1,4}:){3}|(?:(?:[0-9a-f]{1,4}:){0,2}[0-9a-f]{1,4})?::(?:[0-9a-f]{1,4}:){2}|(?:(?:[0-9a-f]{1,4}:){0,3}[0-9a-f]{1,4})?::[0-9a-f]{1,4}:|(?:(?:[0-9a-f]{1,4}:){0,4}[0-9a-f]{1,4})?::)(?:[0-9a-f]{1,4}:[0-9a-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|[01]?\d\d?)\.){3}(?:25[0-5]|2[0-4]\d|[01]?\d\d?))|(?:(?:[0-9a-f]{1,4}:){0,5}[0-9a-f]{1,4})?::[0-9a-f]{1,4}|(?:(?:[0-9a-f]{1,4}:){0,6}[0-9a-f]{1,4})?::)|[Vv][0-9a-f]+\.[a-z0-9\-._~!$&'()*+,;=:]+)\]|(?:(?:25[0-5]|2[0-4]\d|[01]?\d\d?)\.){3}(?:25[0-5]|2[0-4]\d|[01]?\d\d?)|(?:[a-z0-9\-._~!$&'"()*+,;=]|%[0-9a-f]{2})*)(?::\d*)?(?:\/(?:[a-z0-9\-._~!$&'"()*+,;=:@]|%[0-9a-f]{2})*)*|\/(?:(?:[a-z0-9\-._~!$&'"()*+,;=:@]|%[0-9a-f]{2})+(?:\/(?:[a-z0-9\-._~!$&'"()*+,;=:@]|%[0-9a-f]{2})*)*)?|(?:[a-z0-9\-._~!$&'"()*+,;=:@]|%[0-9a-f]{2})+(?:\/(?:[a-z0-9\-._~!$&'"()*+,;=:@]|%[0-9a-f]{2})*)*)?(?:\?(?:[a-z0-9\-._~!$&'"()*+,;=:@/?]|%[0-9a-f]{2})*)?(?:#(?:[a-z0-9\-._~!$&'"()*+,;=:@/?]|%[0-9a-f]{2})*)?$/i;
function validate13(data, { instancePath = "", parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null, errors = 0;
  if (errors === 0)
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.type === void 0 && (missing0 = "type") || data.title === void 0 && (missing0 = "title") || data.status === void 0 && (missing0 = "status"))
        return validate13.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }], !1;
      if (data.type !== void 0) {
        let data0 = data.type, _errs1 = errors;
        if (errors === _errs1 && errors === _errs1)
          if (typeof data0 == "string") {
            if (!formats16.test(data0))
              return validate13.errors = [{ instancePath: instancePath + "/type", schemaPath: "#/properties/type/format", keyword: "format", params: { format: "uri-reference" }, message: 'must match format "uri-reference"' }], !1;
          } else
            return validate13.errors = [{ instancePath: instancePath + "/type", schemaPath: "#/properties/type/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
        var valid0 = _errs1 === errors;
      } else
        var valid0 = !0;
      if (valid0) {
        if (data.title !== void 0) {
          let _errs3 = errors;
          if (typeof data.title != "string")
            return validate13.errors = [{ instancePath: instancePath + "/title", schemaPath: "#/properties/title/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
          var valid0 = _errs3 === errors;
        } else
          var valid0 = !0;
        if (valid0) {
          if (data.status !== void 0) {
            let data2 = data.status, _errs5 = errors;
            if (!(typeof data2 == "number" && !(data2 % 1) && !isNaN(data2) && isFinite(data2)))
              return validate13.errors = [{ instancePath: instancePath + "/status", schemaPath: "#/properties/status/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }], !1;
            if (errors === _errs5 && typeof data2 == "number" && isFinite(data2)) {
              if (data2 > 599 || isNaN(data2))
                return validate13.errors = [{ instancePath: instancePath + "/status", schemaPath: "#/properties/status/maximum", keyword: "maximum", params: { comparison: "<=", limit: 599 }, message: "must be <= 599" }], !1;
              if (data2 < 400 || isNaN(data2))
                return validate13.errors = [{ instancePath: instancePath + "/status", schemaPath: "#/properties/status/minimum", keyword: "minimum", params: { comparison: ">=", limit: 400 }, message: "must be >= 400" }], !1;
            }
            var valid0 = _errs5 === errors;
          } else
            var valid0 = !0;
          if (valid0) {
            if (data.detail !== void 0) {
              let _errs7 = errors;
              if (typeof data.detail != "string")
                return validate13.errors = [{ instancePath: instancePath + "/detail", schemaPath: "#/properties/detail/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
              var valid0 = _errs7 === errors;
            } else
              var valid0 = !0;
            if (valid0)
              if (data.instance !== void 0) {
                let data4 = data.instance, _errs9 = errors;
                if (errors === _errs9 && errors === _errs9)
                  if (typeof data4 == "string") {
                    if (!formats16.test(data4))
                      return validate13.errors = [{ instancePath: instancePath + "/instance", schemaPath: "#/properties/instance/format", keyword: "format", params: { format: "uri-reference" }, message: 'must match format "uri-reference"' }], !1;
                  } else
                    return validate13.errors = [{ instancePath: instancePath + "/instance", schemaPath: "#/properties/instance/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                var valid0 = _errs9 === errors;
              } else
                var valid0 = !0;
          }
        }
      }
    } else
      return validate13.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }], !1;
  return validate13.errors = vErrors, errors === 0;
}
var validateUsage = validate14, schema15 = { $schema: "http://json-schema.org/draft-07/schema#", $id: "usage.json", title: "UsageRecord", description: "A metered usage record (interface sections 2.4 and 2.5).", type: "object", properties: { x_RecordId: { description: "Identifier of the record, unique within the account, dataset and granularity. Primary key.", type: "string", minLength: 1 }, x_RecordUpdatedAt: { description: "When the provider last changed the record (UTC). Of two versions of one record the later one holds.", type: "string", format: "date-time", pattern: "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$" }, x_Granularity: { description: "Width of the record's bucket: `1h` or `1d`.", type: "string", enum: ["1h", "1d"] }, ChargePeriodStart: { description: "Start of the charge period, inclusive (UTC).", type: "string", format: "date-time", pattern: "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$" }, ChargePeriodEnd: { description: "End of the charge period, exclusive (UTC).", type: "string", format: "date-time", pattern: "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$" }, ServiceProviderName: { description: "Name of the party that provides the service.", type: "string", minLength: 1 }, ServiceCategory: { description: "Always `AI and Machine Learning`.", type: "string", const: "AI and Machine Learning" }, ServiceSubcategory: { description: "Subcategory of the service, e.g. `Generative AI`.", type: ["string", "null"] }, ServiceName: { description: "Name of the service.", type: "string", minLength: 1 }, SkuId: { description: "Identifier of the SKU.", type: "string", minLength: 1 }, SkuMeter: { description: "What the SKU meters, e.g. `Input Tokens`.", type: "string", minLength: 1 }, x_ModelId: { description: "Model that was used.", type: ["string", "null"] }, x_ProjectId: { description: "Project that the charge belongs to.", type: ["string", "null"] }, x_WorkspaceId: { description: "Workspace that the charge belongs to.", type: ["string", "null"] }, x_ApiKeyId: { description: "Identifier (not the secret) of the API key that was used.", type: ["string", "null"] }, x_ServiceTier: { description: "Service tier, e.g. `standard`, `batch` or `priority`.", type: ["string", "null"] }, x_WorkloadType: { description: "Kind of workload, e.g. `chat` or `embedding`.", type: ["string", "null"] }, x_UpstreamProvider: { description: "Provider that a gateway passed the request on to.", type: ["string", "null"] }, ConsumedQuantity: { description: "Quantity used, in `ConsumedUnit`; an exact decimal as text.", type: "string", pattern: "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$" }, ConsumedUnit: { description: "Unit of `ConsumedQuantity`, e.g. `Tokens` or `1000 Tokens`.", type: "string", minLength: 1 }, x_UsageType: { description: "What was used: one of the interface's usage types, or a provider's own that starts with `x_`.", type: "string", pattern: "^(input_tokens|output_tokens|cache_read_tokens|cache_write_5m_tokens|cache_write_1h_tokens|input_audio_tokens|output_audio_tokens|requests|audio_seconds|characters|events|session_minutes|credits|x_[A-Za-z0-9_]+)$" } }, required: ["x_RecordId", "x_RecordUpdatedAt", "x_Granularity", "ChargePeriodStart", "ChargePeriodEnd", "ServiceProviderName", "ServiceCategory", "ServiceName", "SkuId", "SkuMeter", "ConsumedQuantity", "ConsumedUnit", "x_UsageType"] }, pattern20 = new RegExp("^(input_tokens|output_tokens|cache_read_tokens|cache_write_5m_tokens|cache_write_1h_tokens|input_audio_tokens|output_audio_tokens|requests|audio_seconds|characters|events|session_minutes|credits|x_[A-Za-z0-9_]+)$", "u");
function validate14(data, { instancePath = "", parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null, errors = 0;
  if (errors === 0)
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.x_RecordId === void 0 && (missing0 = "x_RecordId") || data.x_RecordUpdatedAt === void 0 && (missing0 = "x_RecordUpdatedAt") || data.x_Granularity === void 0 && (missing0 = "x_Granularity") || data.ChargePeriodStart === void 0 && (missing0 = "ChargePeriodStart") || data.ChargePeriodEnd === void 0 && (missing0 = "ChargePeriodEnd") || data.ServiceProviderName === void 0 && (missing0 = "ServiceProviderName") || data.ServiceCategory === void 0 && (missing0 = "ServiceCategory") || data.ServiceName === void 0 && (missing0 = "ServiceName") || data.SkuId === void 0 && (missing0 = "SkuId") || data.SkuMeter === void 0 && (missing0 = "SkuMeter") || data.ConsumedQuantity === void 0 && (missing0 = "ConsumedQuantity") || data.ConsumedUnit === void 0 && (missing0 = "ConsumedUnit") || data.x_UsageType === void 0 && (missing0 = "x_UsageType"))
        return validate14.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }], !1;
      if (data.x_RecordId !== void 0) {
        let data0 = data.x_RecordId, _errs1 = errors;
        if (errors === _errs1)
          if (typeof data0 == "string") {
            if (func2(data0) < 1)
              return validate14.errors = [{ instancePath: instancePath + "/x_RecordId", schemaPath: "#/properties/x_RecordId/minLength", keyword: "minLength", params: { limit: 1 }, message: "must NOT have fewer than 1 characters" }], !1;
          } else
            return validate14.errors = [{ instancePath: instancePath + "/x_RecordId", schemaPath: "#/properties/x_RecordId/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
        var valid0 = _errs1 === errors;
      } else
        var valid0 = !0;
      if (valid0) {
        if (data.x_RecordUpdatedAt !== void 0) {
          let data1 = data.x_RecordUpdatedAt, _errs3 = errors;
          if (errors === _errs3 && errors === _errs3)
            if (typeof data1 == "string")
              if (pattern4.test(data1)) {
                if (!formats2.validate(data1))
                  return validate14.errors = [{ instancePath: instancePath + "/x_RecordUpdatedAt", schemaPath: "#/properties/x_RecordUpdatedAt/format", keyword: "format", params: { format: "date-time" }, message: 'must match format "date-time"' }], !1;
              } else
                return validate14.errors = [{ instancePath: instancePath + "/x_RecordUpdatedAt", schemaPath: "#/properties/x_RecordUpdatedAt/pattern", keyword: "pattern", params: { pattern: "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$" }, message: 'must match pattern "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$"' }], !1;
            else
              return validate14.errors = [{ instancePath: instancePath + "/x_RecordUpdatedAt", schemaPath: "#/properties/x_RecordUpdatedAt/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
          var valid0 = _errs3 === errors;
        } else
          var valid0 = !0;
        if (valid0) {
          if (data.x_Granularity !== void 0) {
            let data2 = data.x_Granularity, _errs5 = errors;
            if (typeof data2 != "string")
              return validate14.errors = [{ instancePath: instancePath + "/x_Granularity", schemaPath: "#/properties/x_Granularity/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
            if (!(data2 === "1h" || data2 === "1d"))
              return validate14.errors = [{ instancePath: instancePath + "/x_Granularity", schemaPath: "#/properties/x_Granularity/enum", keyword: "enum", params: { allowedValues: schema15.properties.x_Granularity.enum }, message: "must be equal to one of the allowed values" }], !1;
            var valid0 = _errs5 === errors;
          } else
            var valid0 = !0;
          if (valid0) {
            if (data.ChargePeriodStart !== void 0) {
              let data3 = data.ChargePeriodStart, _errs7 = errors;
              if (errors === _errs7 && errors === _errs7)
                if (typeof data3 == "string")
                  if (pattern4.test(data3)) {
                    if (!formats2.validate(data3))
                      return validate14.errors = [{ instancePath: instancePath + "/ChargePeriodStart", schemaPath: "#/properties/ChargePeriodStart/format", keyword: "format", params: { format: "date-time" }, message: 'must match format "date-time"' }], !1;
                  } else
                    return validate14.errors = [{ instancePath: instancePath + "/ChargePeriodStart", schemaPath: "#/properties/ChargePeriodStart/pattern", keyword: "pattern", params: { pattern: "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$" }, message: 'must match pattern "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$"' }], !1;
                else
                  return validate14.errors = [{ instancePath: instancePath + "/ChargePeriodStart", schemaPath: "#/properties/ChargePeriodStart/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
              var valid0 = _errs7 === errors;
            } else
              var valid0 = !0;
            if (valid0) {
              if (data.ChargePeriodEnd !== void 0) {
                let data4 = data.ChargePeriodEnd, _errs9 = errors;
                if (errors === _errs9 && errors === _errs9)
                  if (typeof data4 == "string")
                    if (pattern4.test(data4)) {
                      if (!formats2.validate(data4))
                        return validate14.errors = [{ instancePath: instancePath + "/ChargePeriodEnd", schemaPath: "#/properties/ChargePeriodEnd/format", keyword: "format", params: { format: "date-time" }, message: 'must match format "date-time"' }], !1;
                    } else
                      return validate14.errors = [{ instancePath: instancePath + "/ChargePeriodEnd", schemaPath: "#/properties/ChargePeriodEnd/pattern", keyword: "pattern", params: { pattern: "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$" }, message: 'must match pattern "^\\d{4}-\\d{2}-\\d{2}[Tt].*([Zz]|[+-]00:00)$"' }], !1;
                  else
                    return validate14.errors = [{ instancePath: instancePath + "/ChargePeriodEnd", schemaPath: "#/properties/ChargePeriodEnd/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                var valid0 = _errs9 === errors;
              } else
                var valid0 = !0;
              if (valid0) {
                if (data.ServiceProviderName !== void 0) {
                  let data5 = data.ServiceProviderName, _errs11 = errors;
                  if (errors === _errs11)
                    if (typeof data5 == "string") {
                      if (func2(data5) < 1)
                        return validate14.errors = [{ instancePath: instancePath + "/ServiceProviderName", schemaPath: "#/properties/ServiceProviderName/minLength", keyword: "minLength", params: { limit: 1 }, message: "must NOT have fewer than 1 characters" }], !1;
                    } else
                      return validate14.errors = [{ instancePath: instancePath + "/ServiceProviderName", schemaPath: "#/properties/ServiceProviderName/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                  var valid0 = _errs11 === errors;
                } else
                  var valid0 = !0;
                if (valid0) {
                  if (data.ServiceCategory !== void 0) {
                    let data6 = data.ServiceCategory, _errs13 = errors;
                    if (typeof data6 != "string")
                      return validate14.errors = [{ instancePath: instancePath + "/ServiceCategory", schemaPath: "#/properties/ServiceCategory/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                    if (data6 !== "AI and Machine Learning")
                      return validate14.errors = [{ instancePath: instancePath + "/ServiceCategory", schemaPath: "#/properties/ServiceCategory/const", keyword: "const", params: { allowedValue: "AI and Machine Learning" }, message: "must be equal to constant" }], !1;
                    var valid0 = _errs13 === errors;
                  } else
                    var valid0 = !0;
                  if (valid0) {
                    if (data.ServiceSubcategory !== void 0) {
                      let data7 = data.ServiceSubcategory, _errs15 = errors;
                      if (typeof data7 != "string" && data7 !== null)
                        return validate14.errors = [{ instancePath: instancePath + "/ServiceSubcategory", schemaPath: "#/properties/ServiceSubcategory/type", keyword: "type", params: { type: schema15.properties.ServiceSubcategory.type }, message: "must be string,null" }], !1;
                      var valid0 = _errs15 === errors;
                    } else
                      var valid0 = !0;
                    if (valid0) {
                      if (data.ServiceName !== void 0) {
                        let data8 = data.ServiceName, _errs17 = errors;
                        if (errors === _errs17)
                          if (typeof data8 == "string") {
                            if (func2(data8) < 1)
                              return validate14.errors = [{ instancePath: instancePath + "/ServiceName", schemaPath: "#/properties/ServiceName/minLength", keyword: "minLength", params: { limit: 1 }, message: "must NOT have fewer than 1 characters" }], !1;
                          } else
                            return validate14.errors = [{ instancePath: instancePath + "/ServiceName", schemaPath: "#/properties/ServiceName/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                        var valid0 = _errs17 === errors;
                      } else
                        var valid0 = !0;
                      if (valid0) {
                        if (data.SkuId !== void 0) {
                          let data9 = data.SkuId, _errs19 = errors;
                          if (errors === _errs19)
                            if (typeof data9 == "string") {
                              if (func2(data9) < 1)
                                return validate14.errors = [{ instancePath: instancePath + "/SkuId", schemaPath: "#/properties/SkuId/minLength", keyword: "minLength", params: { limit: 1 }, message: "must NOT have fewer than 1 characters" }], !1;
                            } else
                              return validate14.errors = [{ instancePath: instancePath + "/SkuId", schemaPath: "#/properties/SkuId/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                          var valid0 = _errs19 === errors;
                        } else
                          var valid0 = !0;
                        if (valid0) {
                          if (data.SkuMeter !== void 0) {
                            let data10 = data.SkuMeter, _errs21 = errors;
                            if (errors === _errs21)
                              if (typeof data10 == "string") {
                                if (func2(data10) < 1)
                                  return validate14.errors = [{ instancePath: instancePath + "/SkuMeter", schemaPath: "#/properties/SkuMeter/minLength", keyword: "minLength", params: { limit: 1 }, message: "must NOT have fewer than 1 characters" }], !1;
                              } else
                                return validate14.errors = [{ instancePath: instancePath + "/SkuMeter", schemaPath: "#/properties/SkuMeter/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                            var valid0 = _errs21 === errors;
                          } else
                            var valid0 = !0;
                          if (valid0) {
                            if (data.x_ModelId !== void 0) {
                              let data11 = data.x_ModelId, _errs23 = errors;
                              if (typeof data11 != "string" && data11 !== null)
                                return validate14.errors = [{ instancePath: instancePath + "/x_ModelId", schemaPath: "#/properties/x_ModelId/type", keyword: "type", params: { type: schema15.properties.x_ModelId.type }, message: "must be string,null" }], !1;
                              var valid0 = _errs23 === errors;
                            } else
                              var valid0 = !0;
                            if (valid0) {
                              if (data.x_ProjectId !== void 0) {
                                let data12 = data.x_ProjectId, _errs25 = errors;
                                if (typeof data12 != "string" && data12 !== null)
                                  return validate14.errors = [{ instancePath: instancePath + "/x_ProjectId", schemaPath: "#/properties/x_ProjectId/type", keyword: "type", params: { type: schema15.properties.x_ProjectId.type }, message: "must be string,null" }], !1;
                                var valid0 = _errs25 === errors;
                              } else
                                var valid0 = !0;
                              if (valid0) {
                                if (data.x_WorkspaceId !== void 0) {
                                  let data13 = data.x_WorkspaceId, _errs27 = errors;
                                  if (typeof data13 != "string" && data13 !== null)
                                    return validate14.errors = [{ instancePath: instancePath + "/x_WorkspaceId", schemaPath: "#/properties/x_WorkspaceId/type", keyword: "type", params: { type: schema15.properties.x_WorkspaceId.type }, message: "must be string,null" }], !1;
                                  var valid0 = _errs27 === errors;
                                } else
                                  var valid0 = !0;
                                if (valid0) {
                                  if (data.x_ApiKeyId !== void 0) {
                                    let data14 = data.x_ApiKeyId, _errs29 = errors;
                                    if (typeof data14 != "string" && data14 !== null)
                                      return validate14.errors = [{ instancePath: instancePath + "/x_ApiKeyId", schemaPath: "#/properties/x_ApiKeyId/type", keyword: "type", params: { type: schema15.properties.x_ApiKeyId.type }, message: "must be string,null" }], !1;
                                    var valid0 = _errs29 === errors;
                                  } else
                                    var valid0 = !0;
                                  if (valid0) {
                                    if (data.x_ServiceTier !== void 0) {
                                      let data15 = data.x_ServiceTier, _errs31 = errors;
                                      if (typeof data15 != "string" && data15 !== null)
                                        return validate14.errors = [{ instancePath: instancePath + "/x_ServiceTier", schemaPath: "#/properties/x_ServiceTier/type", keyword: "type", params: { type: schema15.properties.x_ServiceTier.type }, message: "must be string,null" }], !1;
                                      var valid0 = _errs31 === errors;
                                    } else
                                      var valid0 = !0;
                                    if (valid0) {
                                      if (data.x_WorkloadType !== void 0) {
                                        let data16 = data.x_WorkloadType, _errs33 = errors;
                                        if (typeof data16 != "string" && data16 !== null)
                                          return validate14.errors = [{ instancePath: instancePath + "/x_WorkloadType", schemaPath: "#/properties/x_WorkloadType/type", keyword: "type", params: { type: schema15.properties.x_WorkloadType.type }, message: "must be string,null" }], !1;
                                        var valid0 = _errs33 === errors;
                                      } else
                                        var valid0 = !0;
                                      if (valid0) {
                                        if (data.x_UpstreamProvider !== void 0) {
                                          let data17 = data.x_UpstreamProvider, _errs35 = errors;
                                          if (typeof data17 != "string" && data17 !== null)
                                            return validate14.errors = [{ instancePath: instancePath + "/x_UpstreamProvider", schemaPath: "#/properties/x_UpstreamProvider/type", keyword: "type", params: { type: schema15.properties.x_UpstreamProvider.type }, message: "must be string,null" }], !1;
                                          var valid0 = _errs35 === errors;
                                        } else
                                          var valid0 = !0;
                                        if (valid0) {
                                          if (data.ConsumedQuantity !== void 0) {
                                            let data18 = data.ConsumedQuantity, _errs37 = errors;
                                            if (errors === _errs37)
                                              if (typeof data18 == "string") {
                                                if (!pattern10.test(data18))
                                                  return validate14.errors = [{ instancePath: instancePath + "/ConsumedQuantity", schemaPath: "#/properties/ConsumedQuantity/pattern", keyword: "pattern", params: { pattern: "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$" }, message: 'must match pattern "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$"' }], !1;
                                              } else
                                                return validate14.errors = [{ instancePath: instancePath + "/ConsumedQuantity", schemaPath: "#/properties/ConsumedQuantity/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                                            var valid0 = _errs37 === errors;
                                          } else
                                            var valid0 = !0;
                                          if (valid0) {
                                            if (data.ConsumedUnit !== void 0) {
                                              let data19 = data.ConsumedUnit, _errs39 = errors;
                                              if (errors === _errs39)
                                                if (typeof data19 == "string") {
                                                  if (func2(data19) < 1)
                                                    return validate14.errors = [{ instancePath: instancePath + "/ConsumedUnit", schemaPath: "#/properties/ConsumedUnit/minLength", keyword: "minLength", params: { limit: 1 }, message: "must NOT have fewer than 1 characters" }], !1;
                                                } else
                                                  return validate14.errors = [{ instancePath: instancePath + "/ConsumedUnit", schemaPath: "#/properties/ConsumedUnit/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                                              var valid0 = _errs39 === errors;
                                            } else
                                              var valid0 = !0;
                                            if (valid0)
                                              if (data.x_UsageType !== void 0) {
                                                let data20 = data.x_UsageType, _errs41 = errors;
                                                if (errors === _errs41)
                                                  if (typeof data20 == "string") {
                                                    if (!pattern20.test(data20))
                                                      return validate14.errors = [{ instancePath: instancePath + "/x_UsageType", schemaPath: "#/properties/x_UsageType/pattern", keyword: "pattern", params: { pattern: "^(input_tokens|output_tokens|cache_read_tokens|cache_write_5m_tokens|cache_write_1h_tokens|input_audio_tokens|output_audio_tokens|requests|audio_seconds|characters|events|session_minutes|credits|x_[A-Za-z0-9_]+)$" }, message: 'must match pattern "^(input_tokens|output_tokens|cache_read_tokens|cache_write_5m_tokens|cache_write_1h_tokens|input_audio_tokens|output_audio_tokens|requests|audio_seconds|characters|events|session_minutes|credits|x_[A-Za-z0-9_]+)$"' }], !1;
                                                  } else
                                                    return validate14.errors = [{ instancePath: instancePath + "/x_UsageType", schemaPath: "#/properties/x_UsageType/type", keyword: "type", params: { type: "string" }, message: "must be string" }], !1;
                                                var valid0 = _errs41 === errors;
                                              } else
                                                var valid0 = !0;
                                          }
                                        }
                                      }
                                    }
                                  }
                                }
                              }
                            }
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else
      return validate14.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }], !1;
  return validate14.errors = vErrors, errors === 0;
}
export {
  validateCapabilities,
  validateCosts,
  validatePage,
  validateProblem,
  validateUsage
};
