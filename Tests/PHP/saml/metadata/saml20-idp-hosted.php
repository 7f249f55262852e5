<?php

$signed = explode(',', getenv('IDP_SIGNS') ?: 'assertion');

$metadata['__DYNAMIC:1__'] = [
    'host' => '__DEFAULT__',
    'privatekey' => 'idp.key',
    'certificate' => 'idp.pem',
    'auth' => 'users',
    'SingleSignOnServiceBinding' => [
        'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',
        'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
    ],
    'saml20.sign.assertion' => in_array('assertion', $signed, true),
    'saml20.sign.response' => in_array('response', $signed, true),
    'validate.authnrequest' => getenv('IDP_WANTS_SIGNED') === '1',
    'NameIDFormat' => ['urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'],
    // The usual name of a user is another one at each sign-in.
    'authproc' => [
        3 => [
            'class' => 'saml:AttributeNameID',
            'attribute' => 'uid',
            'Format' => 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
        ],
    ],
];
